"""A knob is turned while the machine runs: a shaken block comes through resonance as its spring gets stiffer.

python examples/session_parameter.py [picture.png]

Turned up and then down again: amplitudes come after the knob, as they need time to grow and to die away.
"""

import sys

import numpy as np

import jourdain as jd

SPEED, LOW, HIGH = 10.0, 50.0, 200.0  # of the shaking, rad/s; of the spring, N/m


def build() -> jd.Mechanism:
    m = jd.Mechanism("shaken block")
    block = m.body("block", mass=1, inertia=1, position=(0, 0), velocity=(0, 0), points={"P": (0, 0)})
    m.prismatic("guide", m.ground.point("O", (0, 0)), block["P"])
    m.parameter("k", LOW)
    m.actuator("spring", joint="guide", stiffness="k", damping=0.5, motor=f"sin({SPEED}*t)")
    return m


def main() -> None:
    session = jd.session(build())
    knob = np.concatenate([np.linspace(LOW, HIGH, 151), np.linspace(HIGH, LOW, 151)])
    amplitude = []
    for k in knob:
        session.set("k", k)
        largest = 0.0
        for _ in range(40):
            session.advance(0.01)
            largest = max(largest, abs(session["block.x"]))
        amplitude.append(largest)
    up, down = np.split(np.array(amplitude), 2)
    resonance = 1 * SPEED**2
    print(f"resonance at rest {resonance:.0f} N/m")
    for words, turned, found in (("up", knob[:151], up), ("down", knob[151:], down)):
        print(f"turned {words}: largest amplitude {found.max():.3f} m at {turned[found.argmax()]:.0f} N/m")
    assert knob[up.argmax()] > resonance > knob[151 + down.argmax()]
    if len(sys.argv) > 1:
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        axes = figure.subplots()
        axes.plot(knob[:151], up, label="turned up")
        axes.plot(knob[151:], down, label="turned down")
        axes.set(xlabel="k (N/m)", ylabel="amplitude of block.x (m)")
        axes.legend()
        figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
