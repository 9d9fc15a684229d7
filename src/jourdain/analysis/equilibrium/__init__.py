"""What `statics`, `linearise` and `modes` are made of: closed poses, balance, differences, eigenvalues."""
