"""From a mechanism to something that can run: compiled, assembled, its rank known."""
