"""Zero crossings of event functions g(t, y) inside the steps of the time loops.

A loop keeps the start of a step (`keep`), tries the step, and asks `search` whether an event happens in it. To see an
event that comes and goes within one step, the step is looked at in quarters, between its ends by cubic Hermite
interpolation. If the values there do not lie on a smooth curve, the step is too long to see events in, and a loop that
can takes a shorter one. Only where they show a crossing is it done again, and the crossing located, with true steps of
the integrator from the same start (F_STEP): y at the event is as good as at the end of any step.

An event happens when g changes sign, in its direction, or comes to exactly zero. An event whose g is zero has no sign
yet and cannot happen before it has left zero. So it is just after it happened: there, all that rounding and the width
of the last bracket can do to g counts as zero. Where g rests, at exactly zero at two looks one after the other, as the
depth of a stop does until it is hit, it happens when it leaves zero, in its direction; unless it happened when it came
and leaves on the other side, for that is one passage.
"""

from numba import njit

from ..core.context import (
    BLURRED,
    EVENT,
    EVENT_FIRED,
    EVENT_TRIAL,
    EVENT_VALUE,
    EVENT_WORK,
    EVENTS,
    F_EVENTS,
    F_SEARCH,
    F_STEP,
    H_BLURS,
    H_CHARTS,
    H_FRESH,
    H_Q,
    H_SHARP,
    H_V,
    H_Z,
    INSIDE,
    OK,
    RESTART,
    S_STEP,
    SETTINGS,
    STEP_WORK,
    ints,
    reals,
    run,
    state,
    table,
    vector_at,
)

# Rows of EVENT_WORK.
NOISE = 0  # magnitudes up to here are zero; not 0 only from when an event happens until it leaves zero
LARGEST = 1  # magnitude seen yet
LOW = 2  # values where the event has not happened
HIGH = 3  # values where it has
SEEN = 4  # values at the quarters of the step: four rows
REST = 8  # what is known of its rest at zero where the step begins, one of the codes below
LATER = 9  # the same where the search is
WORK_ROWS = 10

# An event that is not zero, or of which it is not known whether it rests there.
MOVING = 0.0
# It rests at zero. It happened when it came there from above, or from below, and has not been seen to rest; and has.
RESTING, FROM_ABOVE, FROM_BELOW, RESTING_BELOW, RESTING_ABOVE = 1.0, 2.0, 3.0, 4.0, 5.0

# Rows of STEP_WORK, counted from its end: those of the integrator come first.
START = 1  # y at the start of the step
SLOPE = 2  # dy/dt there
POINT = 3  # y where events are being looked at; after the search, y at the event
KEPT_ROWS = 3

QUARTERS = 4
# A step is short enough if the fourth difference of the five values is below this part of their range (0.2 is a sine
# that makes a ninth of a turn in a quarter of the step), or if the event is farther than this many ranges away.
BEND = 0.2
FAR = 2.0
# Where an event that has just happened is looked at first, in steps: a machine that bounces may be back before 1/4.
EARLY = 2.0**-10
EARLY_PROBES = 3  # its powers
ROUNDING = 2.0**-52
BRACKET = 1e-13  # of the step
MOST_TRIALS = 200
# Of the largest value seen: more than projection onto the constraints changes an event function.
NOISE_OF_LARGEST = 1e-12
MOST_NOISE = 1e-6  # likewise: an event function that differs by more across the bracket jumps


# For the time loops ----------------------------------------------------------------------------------------------


@njit(**INSIDE)
def keep(ctx, y, slope):
    """Remember the start of a step."""
    work = reals(ctx, STEP_WORK)
    start = work[work.shape[0] - START]
    first = work[work.shape[0] - SLOPE]
    for i in range(y.size):
        start[i] = y[i]
        first[i] = slope[i]


@njit(**INSIDE)
def look(ctx, t, h, y, slope):
    """Search the step of length h that began at t and ends at y: OK or EVENT. With h = 0, begin anew at y."""
    reals(ctx, SETTINGS)[S_STEP, 0] = h
    status = run(ctx, F_SEARCH, t, y, slope)
    ctx[H_FRESH] = 0
    return status


@njit(**INSIDE)
def land(ctx, y):
    """y at the event that `look` found; returns the time since the start of the step."""
    work = reals(ctx, STEP_WORK)
    point = work[work.shape[0] - POINT]
    for i in range(y.size):
        y[i] = point[i]
    return reals(ctx, SETTINGS)[S_STEP, 0]


@njit(**INSIDE)
def at_sample(t, sample):
    """Whether an event at t is so close to a sample that no step fits between."""
    return abs(sample - t) <= 64.0 * ROUNDING * max(abs(t), abs(sample))


# Signs -----------------------------------------------------------------------------------------------------------


@njit(**INSIDE)
def _crossed(before, now, direction):
    return (before < 0.0 and now >= 0.0 and direction >= 0) or (before > 0.0 and now <= 0.0 and direction <= 0)


@njit(**INSIDE)
def _left(rest, now, noise, direction):
    """Whether what rested at zero leaves it, in its direction."""
    up = now > noise and direction >= 0 and rest in (RESTING, RESTING_BELOW)
    down = now < -noise and direction <= 0 and rest in (RESTING, RESTING_ABOVE)
    return up or down


@njit(**INSIDE)
def _happens(ctx, k, now):
    """Whether event k happens between LOW and the value `now`."""
    work = reals(ctx, EVENT_WORK)
    direction = ints(ctx, EVENTS)[k, 2]
    if work[LOW, k] == 0.0:
        return _left(work[LATER, k], now, work[NOISE, k], direction)
    return _crossed(work[LOW, k], now, direction)


@njit(**INSIDE)
def _first_crossed(ctx, now):
    """Index of the first event that happens between LOW and `now`, or -1."""
    for k in range(now.size):
        if _happens(ctx, k, now[k]):
            return k
    return -1


@njit(**INSIDE)
def _rested(rest):
    """What is known of a rest at zero, after another look at which it is exactly zero."""
    if rest == MOVING:
        return RESTING
    if rest == FROM_ABOVE:
        return RESTING_BELOW
    return RESTING_ABOVE if rest == FROM_BELOW else rest


@njit(**INSIDE)
def _move_low(ctx, now):
    """No event happened up to here: LOW is `now`, but what has not left zero stays there."""
    work = reals(ctx, EVENT_WORK)
    for k in range(now.size):
        if work[LOW, k] != 0.0 or abs(now[k]) > work[NOISE, k]:
            work[LOW, k] = now[k]
            work[LATER, k] = MOVING
        elif now[k] == 0.0:
            work[LATER, k] = _rested(work[LATER, k])


@njit(**INSIDE)
def _settle(ctx):
    """LOW as the values of an accepted state."""
    work = reals(ctx, EVENT_WORK)
    value = reals(ctx, EVENT_VALUE)
    for k in range(value.size):
        value[k, 0] = work[LOW, k]
        work[REST, k] = work[LATER, k]
        work[LARGEST, k] = max(work[LARGEST, k], abs(work[LOW, k]))
        if work[LOW, k] != 0.0:
            work[NOISE, k] = 0.0


# Looking ---------------------------------------------------------------------------------------------------------


@njit(**INSIDE)
def _true_values(ctx, t, x, y):
    """EVENT_TRIAL at the end of a true step of length x, whose state stays in POINT."""
    work = reals(ctx, STEP_WORK)
    start = work[work.shape[0] - START]
    point = work[work.shape[0] - POINT]
    for i in range(start.size):
        point[i] = start[i]
    reals(ctx, SETTINGS)[S_STEP, 0] = x
    status = run(ctx, F_STEP, t, point, point)
    if status not in (OK, RESTART):
        return status
    return run(ctx, F_EVENTS, t + x, point, state(ctx, EVENT_TRIAL, y))


@njit(**INSIDE)
def _values(ctx, t, h, part, y, slope, true):
    """EVENT_TRIAL at a part of the step that ends at y."""
    if true and part < 1.0:
        return _true_values(ctx, t, part * h, y)
    work = reals(ctx, STEP_WORK)
    start = work[work.shape[0] - START]
    first = work[work.shape[0] - SLOPE]
    point = work[work.shape[0] - POINT]
    for i in range(y.size):
        d = y[i] - start[i]
        bend = (1.0 - 2.0 * part) * d + h * ((part - 1.0) * first[i] + part * slope[i])
        point[i] = y[i] if part == 1.0 else start[i] + part * (d + (part - 1.0) * bend)
    return run(ctx, F_EVENTS, t + part * h, point, state(ctx, EVENT_TRIAL, y))


@njit(**INSIDE)
def _jumped(ctx, y, slope):
    """Whether the step ends in other coordinates than it began in: something changed that has no rate."""
    if ctx[H_CHARTS] == 0:
        return False
    work = reals(ctx, STEP_WORK)
    start = work[work.shape[0] - START]
    first = work[work.shape[0] - SLOPE]
    jumps = 0
    for i in range(y.size):
        jumps += first[i] == 0.0 and slope[i] == 0.0 and y[i] != start[i]
    return jumps > 0


@njit(**INSIDE)
def _waiting(work, k):
    """Whether an event that has happened has not left zero yet."""
    return work[LOW, k] == 0.0 and work[NOISE, k] > 0.0


@njit(**INSIDE)
def _stayed(work, value, k):
    """Whether an event that has happened is at zero at the end of the step, too, after `_scan`.

    So it is where a joint is closed by its event. In between, interpolation makes such a g bend and cross zero.
    """
    return value[k, 0] == 0.0 and abs(work[SEEN + QUARTERS - 1, k]) <= work[NOISE, k]


@njit(**INSIDE)
def _blurred(ctx):
    """Whether some event bends so much within the step that crossings could hide between the quarters."""
    work = reals(ctx, EVENT_WORK)
    value = reals(ctx, EVENT_VALUE)
    for k in range(value.size):
        if _stayed(work, value, k) or (value[k, 0] == 0.0 and work[REST, k] != MOVING):
            continue  # what leaves a rest does so with a bend
        highest = value[k, 0]
        lowest = value[k, 0]
        nearest = abs(value[k, 0])
        bend = value[k, 0]
        for quarter in range(QUARTERS):
            g = work[SEEN + quarter, k]
            highest = max(highest, g)
            lowest = min(lowest, g)
            nearest = min(nearest, abs(g))
            bend += (6.0 if quarter == 1 else 1.0 if quarter == 3 else -4.0) * g
        size = highest - lowest
        noise = max(work[NOISE, k], NOISE_OF_LARGEST * work[LARGEST, k])
        if size > noise and nearest <= FAR * size and abs(bend) > BEND * size:
            return True
    return False


@njit(**INSIDE)
def _scan(ctx, t, h, y, slope, true):
    """The first quarter (1 to 4) in which an event happens, 0 if none does, or minus the status of a failure.

    LOW and HIGH are the values at the ends of that quarter. Before the first, events that have just happened are given
    the sign they have shortly after the start.
    """
    work = reals(ctx, EVENT_WORK)
    value = reals(ctx, EVENT_VALUE)
    trial = state(ctx, EVENT_TRIAL, y)
    waiting = 0
    found = 0
    for k in range(trial.size):
        work[LOW, k] = value[k, 0]
        work[LATER, k] = work[REST, k]
        waiting += _waiting(work, k)
    for look in range(1 - EARLY_PROBES if waiting > 0 else 1, QUARTERS + 1):
        status = _values(ctx, t, h, look / QUARTERS if look > 0 else EARLY ** (1 - look), y, slope, true)
        if status != OK:
            return -status
        if look <= 0:
            for k in range(trial.size):
                resting = work[LATER, k] in (RESTING, RESTING_ABOVE, RESTING_BELOW)
                if _waiting(work, k) and not resting and abs(trial[k]) > work[NOISE, k]:
                    work[LOW, k] = trial[k]
                    work[LATER, k] = MOVING
            continue
        for k in range(trial.size):
            work[SEEN + look - 1, k] = trial[k]
        if found == 0 and _first_crossed(ctx, trial) >= 0:
            for k in range(trial.size):
                work[HIGH, k] = trial[k]
            found = look
            if true:
                return found
        elif found == 0:
            _move_low(ctx, trial)
    if not true and _blurred(ctx):
        if ctx[H_SHARP] == 1:
            return -BLURRED
        ctx[H_BLURS] += 1
    return found


@njit(**INSIDE)
def _narrow(ctx, t, h, low, high, y):
    """The end of the narrowed bracket (low, high) at which the first event has happened, or minus a status.

    Regula falsi (Illinois) on one event; a trial at which any event has happened is the new end. So if another turns
    out to come earlier, it takes the place of the one that is followed.
    """
    work = reals(ctx, EVENT_WORK)
    trial = state(ctx, EVENT_TRIAL, y)
    width = max(4.0 * ROUNDING * max(abs(t), abs(t + h)), BRACKET * h)
    k = _first_crossed(ctx, work[HIGH])
    a = work[LOW, k]
    b = work[HIGH, k]
    side = 0
    for i in range(MOST_TRIALS):
        part = a / (a - b) if a != 0.0 else 0.5  # what leaves a rest is on no line
        if i % 4 == 3 or not 0.0 <= part <= 1.0:  # bisection now and then: it cannot stall
            part = 0.5
        x = low + (high - low) * part
        x = min(max(x, low + 0.5 * width), high - 0.5 * width)
        x = (t + x) - t  # a time that exists
        if high - low <= width or not low < x < high:
            break
        status = _true_values(ctx, t, x, y)
        if status != OK:
            return -float(status)
        first = _first_crossed(ctx, trial)
        if first < 0:
            _move_low(ctx, trial)
            low = x
            a = work[LOW, k]
            b *= 0.5 if side == -1 else 1.0
            side = -1
            continue
        for j in range(trial.size):
            work[HIGH, j] = trial[j]
        high = x
        if _happens(ctx, k, trial[k]):
            a *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            k = first
            a = work[LOW, k]
            side = 0
        b = trial[k]
    return high


@njit(**INSIDE)
def _happen(ctx, t, x, y):
    """Take the state at x for the event, with all events that happen between LOW and HIGH."""
    fired = ints(ctx, EVENT_FIRED)
    work = reals(ctx, EVENT_WORK)
    trial = state(ctx, EVENT_TRIAL, y)
    status = _true_values(ctx, t, x, y)
    if status != OK:
        return status
    for k in range(trial.size):
        before = work[LOW, k]
        now = work[HIGH, k]
        work[LARGEST, k] = max(work[LARGEST, k], abs(before))
        fired[k, 0] = 0
        if _happens(ctx, k, now):
            fired[k, 0] = 1
            work[SEEN, k] = MOVING if before == 0.0 else FROM_ABOVE if before > 0.0 else FROM_BELOW
            width = min(4.0 * abs(now - before), MOST_NOISE * work[LARGEST, k])
            work[NOISE, k] = width + NOISE_OF_LARGEST * work[LARGEST, k]
            work[LOW, k] = 0.0
    _move_low(ctx, trial)
    for k in range(trial.size):
        if fired[k, 0] == 1 and work[LOW, k] == 0.0:  # the look at which it happened is not one at which it rests
            work[LATER, k] = work[SEEN, k]
    _settle(ctx)
    return EVENT


@njit(**INSIDE)
def _begin(ctx, t, y):
    """Values at a start, or at a state that somebody may have changed at an event."""
    trial = state(ctx, EVENT_TRIAL, y)
    fired = ints(ctx, EVENT_FIRED)
    status = run(ctx, F_EVENTS, t, y, trial)
    if status != OK:
        return status
    work = reals(ctx, EVENT_WORK)
    for k in range(trial.size):
        fired[k, 0] = 0
        work[LOW, k] = 0.0
    _move_low(ctx, trial)
    for k in range(trial.size):  # one look is no rest
        if work[LATER, k] in (RESTING, RESTING_BELOW, RESTING_ABOVE):
            work[LATER, k] = work[REST, k]
    _settle(ctx)
    return OK


def search(t, y_, slope_, ctx_):
    """The first event in the step from t, of length SETTINGS[S_STEP], that ends at y; its start is in STEP_WORK.

    OK: there is none, and EVENT_VALUE belongs to y. EVENT: it is SETTINGS[S_STEP] after t, with the state in POINT;
    EVENT_FIRED tells which. Else a failure. For a length of 0, see `_begin`.
    """
    ctx = table(ctx_)
    n = ctx[H_Q] + ctx[H_V] + ctx[H_Z]
    y = vector_at(y_, n)
    slope = vector_at(slope_, n)
    h = reals(ctx, SETTINGS)[S_STEP, 0]
    if h == 0.0:
        return _begin(ctx, t, y)
    true = _jumped(ctx, y, slope)
    quarter = 1
    for _ in range(2):  # one place to call it from: that halves the compile time
        quarter = _scan(ctx, t, h, y, slope, true)
        if true or quarter <= 0:
            break
        true = True
    if quarter < 0:
        return -quarter
    if quarter == 0:
        work, value = reals(ctx, EVENT_WORK), reals(ctx, EVENT_VALUE)
        for k in range(value.size):
            if _stayed(work, value, k):
                work[LOW, k] = 0.0
                work[LATER, k] = max(work[LATER, k], work[REST, k])
        _settle(ctx)
        return OK
    x = _narrow(ctx, t, h, h * ((quarter - 1) / QUARTERS), h * (quarter / QUARTERS), y)
    if x < 0.0:
        return int(-x)
    status = _happen(ctx, t, x, y)
    reals(ctx, SETTINGS)[S_STEP, 0] = x
    return status
