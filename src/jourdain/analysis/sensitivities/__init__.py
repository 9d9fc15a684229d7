"""What `sensitivity` is made of: seeds, frozen runs, equilibria that move."""
