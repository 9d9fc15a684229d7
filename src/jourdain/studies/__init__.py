"""Studies: many runs of one machine, on all cores or on several computers, that can be interrupted and go on."""
