"""What stands where in rows of links in space: columns of CONSTANTS, STATE and COLUMNS of a tree."""

# CONSTANTS: joint point and axes of the carrying port in the parent's frame; mass, mass times place of the mass centre,
# inertia about the origin of the link; advance of a screw in metres a radian.
P, T, MASS, MC, INERTIA, LEAD, CONSTANT_COLUMNS = 0, 3, 12, 13, 16, 22, 23

# STATE: axes of the link as columns R[3 row + column]; angular velocity; r; bias c; M as J (xx yy zz xy xz yz), H by
# rows, m like J; p as moment and force; acceleration, and in its place, until it is known, the relative angular
# velocity and velocity.
R, W, ARM, BIAS, J, H, M, N, F, ACC, STATE_COLUMNS = 0, 9, 12, 15, 21, 27, 36, 42, 45, 48, 54
REL = ACC

# COLUMNS: b, U / D (of a pin: A^T U / D), u / D.
B, UD, U, COLUMN_COLUMNS = 0, 6, 12, 13
