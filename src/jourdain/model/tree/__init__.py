"""Joint coordinates as arrays: links, their state and motion, branches."""
