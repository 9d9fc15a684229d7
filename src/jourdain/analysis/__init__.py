"""What a user calls: plain functions on a mechanism."""
