"""What `check` is made of: freedoms, idle motions, joints to relax, numbers that look wrong."""
