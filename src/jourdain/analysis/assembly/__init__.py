"""What `assemble` and `branches` are made of: targets, search, names of branches."""
