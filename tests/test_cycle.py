"""The steady cycle: against the integral of the gas table, balances of work, and a driven oscillator."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.cli.main import main

DEGREES = np.arange(0.0, 720.0, 10.0)
PRESSURE = 1e5 + 55e5 * np.exp(-(((DEGREES - 370) / 30) ** 2)) + 8e5 * np.exp(-(((DEGREES - 330) / 45) ** 2))
R, L, AREA = 0.04, 0.14, math.pi * 0.08**2 / 4


def engine(damping: float = 0.0) -> jd.Mechanism:
    m = jd.Mechanism("engine")
    crank = m.body("crank", mass=3, inertia=0.05, position=(0, 0), spin=150, points={"O": (0, 0), "A": (R, 0)})
    rod = m.body("rod", mass=0.5, inertia=1.2e-3, points={"A": (-L / 3, 0), "B": (2 * L / 3, 0)})
    piston = m.body("piston", mass=0.4, inertia=1e-4, position=(R + L, 0), points={"B": (0, 0)})
    m.revolute("O", m.ground.point("O", (0, 0)), crank["O"])
    m.revolute("A", crank["A"], rod["A"])
    m.revolute("B", rod["B"], piston["B"])
    m.prismatic("G", m.ground["O"], piston["B"])
    m.table("gas", jd.Table(np.radians(DEGREES), PRESSURE, periodic="720 deg"))
    m.force("push", on=piston["B"], vector=(f"-(gas(O.angle) - 1 bar)*{AREA!r}", 0))
    if damping:
        m.actuator("brake", joint="O", damping=damping)
    return m


def mean_torque(degrees=DEGREES, pressure=PRESSURE) -> float:
    """The integral of the table: exact between its points up to the quadrature of smooth pieces (Gauss, 12 points)."""
    x, weights = np.polynomial.legendre.leggauss(12)
    ends, values = np.append(degrees, 720.0), np.append(pressure, pressure[0])
    total = 0.0
    for a, b in pairwise(ends):
        angle = np.radians((a + b) / 2 + (b - a) / 2 * x)
        p = np.interp(np.degrees(angle), ends, values)
        s, c = np.sin(angle), np.cos(angle)
        slope = -(R * s + R * R * s * c / np.sqrt(L * L - (R * s) ** 2))
        total += np.radians((b - a) / 2) * np.sum(weights * -(p - 1e5) * AREA * slope)
    return total / (4 * math.pi)


def test_the_engine_from_a_file_and_the_prompt_alone(capsys):
    folder = Path(__file__).resolve().parent.parent / "examples" / "engine"
    assert len((folder / "engine.yaml").read_text().splitlines()) < 30
    arguments = ["cycle", str(folder / "engine.yaml"), "--joint", "O", "--fluctuation", "1 %", "--maxima", "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    rows = (folder / "gas.csv").read_text(encoding="utf-8-sig").replace(",", ".").splitlines()[2:]
    degrees, bars = np.array([row.split(";") for row in rows], dtype=float).T
    assert found["load"] == pytest.approx(mean_torque(degrees, bars * 1e5), rel=1e-6)
    assert found["fluctuation"] == pytest.approx(0.01, rel=1e-6) and found["inertia"] > 0
    assert {"O.load", "A.load", "B.load"} <= {row["channel"] for row in found["maxima"]}


def test_the_load_is_the_mean_torque_and_the_flywheel_is_enough():
    found = jd.cycle(engine(), joint="O", fluctuation="2 %")
    assert found.load == pytest.approx(mean_torque(), rel=1e-6)
    assert found.fluctuation == pytest.approx(0.02, rel=1e-6) and found.speed == pytest.approx(150, rel=1e-8)
    speeds = found.run["O.speed"]
    assert speeds[-1] == pytest.approx(speeds[0], rel=1e-7)
    assert np.ptp(speeds) / 150 == pytest.approx(0.02, rel=1e-3)
    assert found.inertia is not None and found.inertia > 0.1


def test_a_brake_decides_the_speed():
    """With damping c at the joint the mean of c w^2 over the cycle is the work of the gas."""
    found = jd.cycle(engine(damping=0.05), joint="O")
    w, t = found.run["O.speed"], found.run.t
    assert found.load == 0.0
    assert np.trapezoid(0.05 * w**2, t) == pytest.approx(4 * math.pi * mean_torque(), rel=1e-4)


def test_a_period_in_seconds():
    """A driven, damped oscillator: amplitude F / |k - m w^2 + i c w|."""
    m = jd.Mechanism("oscillator")
    body = m.body("b", mass=1, inertia=1, position=(0, 0), points={"A": (0, 0)})
    m.prismatic("S", m.ground.point("A", (0, 0)), body["A"])
    m.actuator("spring", joint="S", stiffness=50, damping=4, motor="3*sin(2*pi*t)")
    found = jd.cycle(m, "1 s")
    w = 2 * math.pi
    assert found.run["b.x"].max() == pytest.approx(3 / abs(50 - w * w + 4j * w), rel=1e-4)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({}, "period is missing"),
        ({"joint": "Q"}, "none that turns"),
        ({"joint": "O", "fluctuation": "-1 %"}, "positive"),
        ({"fluctuation": 0.1, "period": 1.0}, "needs joint"),
        ({"joint": "O", "period": "3 kg"}, "a mass; expected an angle"),
    ],
)
def test_what_is_refused(arguments, words):
    with pytest.raises(jd.ChoiceError, match=words):
        jd.cycle(engine(), **arguments)
