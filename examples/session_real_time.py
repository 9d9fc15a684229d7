"""A four-bar linkage runs with the clock on the wall, 60 frames a second: how late is a frame, and what does it cost?

python examples/session_real_time.py [picture.png]

A viewer would draw where this one counts.
"""

import sys
import time

import numpy as np

import jourdain as jd

FRAMES, SECONDS = 60, 1 / 60


def main() -> None:
    session = jd.session(jd.example("four_bar"), integrator="rk4", step=1e-3)
    session.advance(SECONDS)  # compiles what is left to compile, once
    session["crank.angle"]
    late, busy, angles = [], [], []
    start, began = session.t, time.perf_counter()
    for frame in range(1, FRAMES + 1):
        woken = time.perf_counter()
        late.append(woken - began - (frame - 1) * SECONDS)
        session.advance(to=start + frame * SECONDS)
        angles.append(session["crank.angle"])
        busy.append(time.perf_counter() - woken)
        time.sleep(max(0.0, began + frame * SECONDS - time.perf_counter()))
    took = time.perf_counter() - began
    print(f"{FRAMES} frames of {1e3 * SECONDS:.1f} ms took {took:.3f} s; the machine moved {session.t - start:.3f} s")
    print(f"busy {1e3 * np.median(busy):.3f} ms a frame (median), late {1e3 * np.median(late):.2f} ms")
    expected = jd.simulate(
        jd.example("four_bar"), times=[0.0, *(SECONDS * np.arange(1, FRAMES + 2))], integrator="rk4", step=1e-3
    )
    assert np.allclose(angles, expected["crank.angle"][2:], atol=1e-9)  # as if nobody had waited
    if len(sys.argv) > 1:
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        above, below = figure.subplots(2, sharex=True)
        above.plot(angles)
        above.set_ylabel("crank.angle (rad)")
        below.plot(1e3 * np.array(busy), label="busy")
        below.plot(1e3 * np.array(late), label="late")
        below.set(xlabel="frame", ylabel="ms")
        below.legend()
        figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
