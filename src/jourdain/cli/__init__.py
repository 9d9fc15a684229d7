"""The command line. Commands import what they need when they run, so that those without kernels start at once."""
