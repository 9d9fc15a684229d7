"""What `auto` decides on the way: coordinates, another method where the machine is stiff, singular positions."""
