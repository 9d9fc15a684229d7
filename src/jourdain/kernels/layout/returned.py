"""What a kernel returns, and what a time loop ends with."""

# Made into sentences by assembly/sentences.py.
OK = 0
PAUSED = 1  # the kernel gave control back; call again to go on
NOT_CLOSED = 2  # projection did not converge
RANK_LOST = 3  # K is singular and the system too large for the rank-revealing path
NOT_FINITE = 4  # an acceleration is NaN or infinite
STEP_TOO_SMALL = 5  # error control asks for steps below rounding
SINGULAR_MASS = 6  # the iteration for singular mass blocks did not converge
TOO_MANY_STEPS = 7
RESTART = 9  # not a failure: multistep methods must start anew
SINGULAR_COORDINATES = 10
FLIPPED = 8  # a joint is closed the wrong way round
EVENT = 11  # not a failure: y stands at an event
NOT_SOLVED = 14  # the equations of a step of an implicit method were not solved
CRAWLING = 15  # not a failure: steps have become much shorter than they were, and somebody wants to know
BLURRED = 13  # not a failure: the step is too long to see events in
NO_CONVERGENCE = 16  # the iteration for the multipliers was not done after the most rounds allowed
UNSTABLE = 17  # a multistep method's own errors grow
STIFF = 18  # not a failure: stability holds the steps short, and somebody wants to know
WANTS_EXACT = 20  # not a failure: F_EXACT and EXACT are to be provided; y stands where it was
NO_FEEDBACK = 12  # forces that depend on reactions did not settle
LOOK = 21  # not a failure: as many steps were tried as somebody wanted to see
UNTIL = 22  # not a failure: T_UNTIL is reached
PASSING_BY = 23  # not a failure: the step ahead may go through a singular position, and somebody wants to know

# Of the time loop itself: no kernel returns them.
STOPPED = 100  # an event ended the run, or failed
ENDED = 101  # `until` is reached
RAISED = 102  # a user's function raised something; the loop is where it was before that step
TOO_LIGHT = 103  # masses differ so much that rounding hides what the constraints say
LEFT_BRANCH = 104  # a method that does not project went on along another branch behind a singular position
