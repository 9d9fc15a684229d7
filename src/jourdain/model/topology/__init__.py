"""The graph of a mechanism: what is joined to what, and the order in which to eliminate it."""
