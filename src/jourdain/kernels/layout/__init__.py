"""What stands where in the memory of kernels: plain constants without Numba, for kernels and Python alike."""
