"""How accelerations and multipliers are found, and drift is held."""
