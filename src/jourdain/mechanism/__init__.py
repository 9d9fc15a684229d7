"""What a mechanism is: bodies, points, joints and forces, with names, in SI units. No arrays, no solver."""
