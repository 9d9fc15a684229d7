"""Channels: what can be read of a mechanism, by name."""
