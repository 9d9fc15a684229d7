"""What `simulate_many` is made of: variants, and batches of them."""
