"""What `kinematics` and `inverse_dynamics` are made of: drivers, paths, dead points."""
