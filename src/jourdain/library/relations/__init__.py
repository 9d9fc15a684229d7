"""Relations between joints, and equations of a user's own."""
