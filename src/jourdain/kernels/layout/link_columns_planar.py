"""What stands where in rows of links in the plane: columns of CONSTANTS and STATE of a tree."""

# CONSTANTS: joint point in the parent's frame, angle of the joint's own frame there; mass, mass times place of the
# mass centre, inertia about the origin of the link; -1 for a pin written from the link to its parent, else 1.
PX, PY, TILT, MASS, MCX, MCY, INERTIA, SENSE, CONSTANT_COLUMNS = range(9)

# STATE: cosine and sine of the link's attitude; spin; r; bias acceleration c; mass matrix; p; factors; acceleration.
C, S, W, RX, RY, BX, BY, J, HX, HY, MXX, MXY, MYY, N, FX, FY, UN, UX, UY, U, DW, AX, AY, STATE_COLUMNS = range(24)
ARM, F = RX, FX  # names that the spatial recursion has too
