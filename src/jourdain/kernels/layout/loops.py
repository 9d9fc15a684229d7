"""The words of a time loop: codes of the methods with a fixed step, and its progress, kept between calls."""

# Codes of methods with a fixed step.
RK4, RK6, AB6, ALPHA, NEWMARK = 4, 6, 66, 2, 1

# Progress, kept between calls: counts[] and clock[]. C_RESTART is set with the status EVENT; a caller that changes y at
# any other time sets it too. C_ROUGH counts steps of ab6 whose slopes do not look smooth; C_WATCH asks for CRAWLING
# and C_STIFF for STIFF.
# T_FROM is where the steps of this interval count from, T_STOP an event ahead; T_USUAL and what follows: adaptive.py.
C_SAMPLE, C_STEPS, C_REJECTED, C_SUBSTEP, C_HISTORY, C_RESTART, C_ROUGH, C_WATCH, C_STIFF, C_LENGTH = range(10)
T_NOW, T_STEP, T_FROM, T_STOP, T_USUAL, T_BLURRED, T_BLURRED_END, T_TURN, T_LENGTH = range(9)
