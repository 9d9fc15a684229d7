"""Steps in time, the loops that take them, and the search for events."""
