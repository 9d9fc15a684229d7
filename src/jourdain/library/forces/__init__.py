"""Forces between bodies and on them."""
