"""A machine that one can touch: the document it is written in, and the run that goes on while both change."""
