"""A quarter of a car crosses a bump: a bushing, a spring by table, a bump stop, a tyre that never pulls.

python examples/quarter_car.py [picture.png]
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import jourdain as jd
from jourdain.plotting.figures import draw_mechanism


def build() -> jd.Mechanism:
    m = jd.Mechanism("quarter car", gravity=(0, -9.81))
    frame = {"O": (0, 0), "A": (-0.25, -0.3), "S": (0, 0.15)}
    body = m.body("body", mass=300, inertia=40, position=(0, 0.75), points=frame)
    arm = m.body("arm", mass=12, inertia=0.6, position=(0, 0.42), points={"A": (-0.25, 0.03), "W": (0.25, -0.07)})
    wheel = m.body("wheel", mass=35, inertia=1, position=(0.25, 0.35), points={"C": (0, 0)})
    m.prismatic("lift", m.ground.point("O", (0, 0.75), angle=np.pi / 2), body.point("L", (0, 0), angle=np.pi / 2))
    m.bushing("rubber", body["A"], arm["A"], stiffness=(2e6, 2e6, 300), damping=(3000, 3000, 5))
    m.weld("knuckle", arm["W"], wheel["C"])
    # The strut is soft in the middle and hard near its ends: pairs (length, pull).
    table = [(0.30, -16000), (0.40, -8000), (0.50, -5700), (0.60, -3400), (0.70, 6000)]
    m.spring("strut", body["S"], wheel["C"], table=table, damping=2500)
    m.stop("bump_stop", body["S"], wheel["C"], below=0.38, stiffness=3e5, damping=0.5)
    # The tyre: a spring between wheel and road, which never pulls. The road is 5 cm high for a tenth of a second.
    road = "0.05*exp(-((t - 1)/0.05)**2)"
    m.force("tyre", on=wheel["C"], vector=(0, f"max(0, 2e5*(0.33 + {road} - wheel.y) - 500*wheel.vy)"))
    return m


def picture(run: jd.Solution) -> Figure:
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.3))
    draw_mechanism(run, int(np.argmax(run["wheel.y"])), axes=left)
    right.plot(run.t, run["body.y"] - run["body.y"][-1], label="body")
    right.plot(run.t, run["wheel.y"] - run["wheel.y"][-1], label="wheel")
    right.set(xlabel="t (s)", ylabel="height above rest (m)", xlim=(0.8, 3))
    right.legend(frameon=False)
    right.grid(True, color="#e6e8eb")
    return figure


def main() -> None:
    run = jd.simulate(build(), 3.0, every=0.005)
    print(run.summary())
    rest = run["body.y"][-1]
    print(
        f"\nbump of 50 mm: wheel +{1e3 * (run['wheel.y'].max() - run['wheel.y'][-1]):.0f} mm, "
        f"body +{1e3 * (run['body.y'][200:].max() - rest):.0f} mm"
    )
    weight = (300 + 12 + 35) * 9.81
    assert np.isclose(2e5 * (0.33 - run["wheel.y"][-1]), weight, rtol=2e-3)  # the tyre carries it all
    if len(sys.argv) > 1:
        picture(run).savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
