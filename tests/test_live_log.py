"""The log of a live machine: packed when it grows old, and the same when it is read."""

import numpy as np

from jourdain.live.steering import TOGETHER, Log, Packed, Steering

PULLS = [f"_g{k}_1{i}" for k in range(3) for i in range(2)]
NAMES = ["_t0", *PULLS, *(f"_s_1{i}_1{j}" for i in range(2) for j in range(2))]


def entries(count, rng):
    """One a frame, some that divide steps and some that set a number between them."""
    found = []
    for k in range(count):
        n = 16 * k
        if k % 50 == 7:
            found.append(Steering(n, {}, 4))
        if k % 90 == 8:
            found.append(Steering(n, {}, 0, ("k", float(k))))
        names = NAMES if k % 400 < 300 else [name.replace("_1", "_2") for name in NAMES]
        found.append(Steering(n, Packed.of(dict(zip(names, rng.normal(size=len(names)), strict=True)))))
    return found


def test_entries_come_back_as_they_were_to_the_bit_and_in_their_order():
    wanted = entries(1500, np.random.default_rng(1))
    log = Log()
    for entry in wanted:
        log.append(entry)
    assert len(log) == len(wanted)
    found = log.between(0, len(log))
    assert found == wanted
    assert [list(one.numbers) for one in found] == [list(one.numbers) for one in wanted]
    steps = [entry.n for entry in wanted]
    for n in [-1, 0, 1, 16, 17, *range(0, 16 * 1500, 1111), 16 * 1500]:
        assert log.before_step(n) == int(np.searchsorted(steps, n))


def test_what_is_forgotten_and_what_is_cut_off_leave_the_rest():
    wanted = entries(1200, np.random.default_rng(2))
    for gone in (0, 1, TOGETHER - 1, TOGETHER, 700, len(wanted)):
        log = Log()
        for entry in wanted:
            log.append(entry)
        log.forget(gone)
        rest = wanted[gone:]
        assert log.between(0, len(log)) == rest
        steps = [entry.n for entry in rest]
        for n in range(0, 16 * 1200, 997):
            assert log.before_step(n) == int(np.searchsorted(steps, n))
        for count in (0, 1, 100, TOGETHER, 2 * TOGETHER + 3, len(rest)):
            part = log.until(count)
            assert part.between(0, len(part)) == rest[:count]
            for entry in wanted[:600]:
                part.append(entry)
            assert part.between(0, len(part)) == [*rest[:count], *wanted[:600]]
        assert log.between(0, len(log)) == rest


def test_an_hour_of_frames_does_not_keep_what_was_forgotten():
    log, rng = Log(), np.random.default_rng(3)
    some = entries(300, rng)
    sizes = []
    for k in range(60):
        for entry in some:
            log.append(Steering(entry.n + 5000 * k, entry.numbers, entry.parts, entry.setting))
        log.forget(max(0, len(log) - 3000))
        sizes.append(log.size)
    assert max(sizes[20:]) < 1.2 * sizes[15]
