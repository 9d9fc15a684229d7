"""Pictures of runs: channels over time and drawings of the mechanism. matplotlib is imported when one is made."""
