"""The words of a time loop: codes of the methods with a fixed step, and its progress, kept between calls."""

# Codes of methods with a fixed step; OWN is whatever F_STEP does.
RK4, RK6, AB6, ALPHA, NEWMARK, OWN = 4, 6, 66, 2, 1, 3

# counts[]: all that a loop remembers in whole numbers, so that a pause changes nothing.
(
    C_SAMPLE,  # the next of the times that were asked for
    C_STEPS,
    C_REJECTED,
    C_SUBSTEP,  # steps of a fixed length since T_FROM
    C_HISTORY,  # slopes that ab6 has
    C_RESTART,  # 1: begin anew at T_NOW. Set with the status EVENT; who changes y at any other time sets it too
    C_ROUGH,  # steps of ab6 whose slopes do not look smooth
    C_WATCH,  # 1: asks for CRAWLING
    C_STIFF,  # how many steps that stability held short make STIFF; 0: never
    C_RETRIED,  # 1: this step was tried before
    C_BROKEN,  # the status with which it failed, if it did: not for its error
    C_CHANGED,  # 1: the step ahead ends in other coordinates
    C_SINGLE,  # 1: the event ahead is reached by single steps from T_NOW (F_STEP)
    C_LOOK,  # steps, tried ones included, after which LOOK is returned; 0: never
    C_TINY,  # steps in a row that hardly got anywhere
    C_RANK,  # 1: asks for PASSING_BY
    C_CHOSEN,  # 1: steps are as long as T_STEP says, whatever their errors
    C_LENGTH,
) = range(18)
# clock[]: s
(
    T_NOW,  # where y stands
    T_STEP,  # the last step of a fixed length, or the next one of error control
    T_FROM,  # where the steps of this interval count from
    T_STOP,  # an event ahead
    T_USUAL,  # the usual step of error control, by which it is judged whether steps crawl
    T_BLURRED,  # a step that was too long to see events in
    T_BLURRED_END,
    T_TURN,  # in which the fastest body turns by half
    T_AHEAD,  # the end of the step that was accepted and not gone to yet; -inf: there is none
    T_UNTIL,  # no step of error control goes beyond
    T_REACH,  # in which the fastest point moves by a small part of the machine
    T_LENGTH,
) = range(12)

SLOPE_ROW, NEW_ROW = 0, -4  # of METHOD_WORK (step_rows.py): slope at y, end of the step ahead


def begin_clock(clock, counts, t):
    """A loop that begins at t."""
    clock[:] = 0.0
    counts[:] = 0
    clock[T_NOW] = t
    clock[T_STOP] = clock[T_UNTIL] = float("inf")
    clock[T_AHEAD] = -float("inf")
    counts[C_RESTART] = 1
