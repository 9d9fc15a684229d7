"""Motions: what drives a joint."""
