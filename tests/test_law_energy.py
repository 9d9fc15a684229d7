"""A law that says its potential and what it dissipates: the account of energy is whole, also with states."""

from __future__ import annotations

import numpy as np
import pytest

import jourdain as jd

MOUNT = """jourdain: 1
gravity: [0, -9.81]
types:
  mount:
    kind: force
    ports: [frame, arm]
    parameters: {stiffness: {unit: N/m}, branch: {unit: N/m, default: 100 N/m}, time: {unit: s, default: 0.1 s}}
    states: {s: 0.1}
    rates: {s: (length - s)/time}
    outputs: {pull: branch*(length - s)}
    force: stiffness*length + pull
    ENERGY
ground: {points: {O: [0, 0], P: [0.3, 0.4]}}
bodies: {b: {mass: 2, inertia: 0.1, position: [0.5, 0], angle: 0, points: {A: [-0.5, 0], B: [0.3, 0.1]}}}
joints: {A: {type: revolute, between: [ground.O, b.A]}}
forces: {mount: {type: mount, between: [ground.P, b.B], stiffness: 300}}
"""
POTENTIAL = "potential: stiffness*length**2/2 + branch*(length - s)**2/2"
HEAT = "dissipated: pull*(length - s)/time"
ACCURATE = {"rtol": 1e-10, "atol": 1e-12}


def machine(*energy: str) -> jd.Mechanism:
    return jd.load(MOUNT.replace("ENERGY", "\n    ".join(energy)))


@pytest.mark.parametrize("coordinates", ["angle", "relative", "natural"])
@pytest.mark.parametrize("energy", [(POTENTIAL, HEAT), (HEAT,)])
def test_the_balance_of_a_maxwell_branch(energy: tuple[str, ...], coordinates: str) -> None:
    """The total stays, and heat and potential are those of the formulas."""
    run = jd.simulate(machine(*energy), times=np.linspace(0, 1, 2001), coordinates=coordinates, **ACCURATE)
    assert np.ptp(run["energy.total"]) < 1e-7
    assert np.all(run["energy.driven"] == 0)
    apart = run["mount.length"] - run["mount.s"]
    heat = np.trapezoid(100 * apart**2 / 0.1, run.t)
    assert run["energy.dissipated"][-1] == pytest.approx(heat, rel=1e-4)
    held = 150 * run["mount.length"] ** 2 + 50 * apart**2 + 2 * 9.81 * run["b.y"]
    assert np.ptp(run["energy.potential"] - held) < 1e-7
    if len(energy) > 1:
        assert run["energy.potential"] == pytest.approx(held)


def test_a_potential_that_does_not_fit_is_seen() -> None:
    assert np.ptp(jd.simulate(machine(POTENTIAL), 1.0, **ACCURATE)["energy.total"]) > 1  # the heat is missing


def test_a_mount_that_is_switched_off() -> None:
    """Then it holds and takes nothing more; what it held stays counted as stored."""
    text = MOUNT.replace("ENERGY", f"{POTENTIAL}\n    {HEAT}")
    m = jd.load(text + "events: {loose: {when: t - 0.1, direction: rising, off: mount}}\n")
    run = jd.simulate(m, 0.5, **ACCURATE)
    assert np.ptp(run["energy.total"]) < 1e-7
    assert np.ptp(run["energy.dissipated"][run.t > 0.11]) < 1e-12 < run["energy.dissipated"][-1]


def test_heat_in_batches_and_sensitivities() -> None:
    m = machine(POTENTIAL, HEAT)
    batch = jd.simulate_many(m, 0.2, {"mount.branch": [99.0, 100.0, 101.0]}, **ACCURATE)
    found = jd.sensitivity(m, ["mount.branch"], of=["energy.dissipated"], duration=0.2, **ACCURATE)
    heat = batch["energy.dissipated"][:, -1]
    assert heat[1] == pytest.approx(jd.simulate(m, 0.2, **ACCURATE)["energy.dissipated"][-1], rel=1e-9)
    assert found["energy.dissipated", "mount.branch"][-1] == pytest.approx((heat[2] - heat[0]) / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("potential: stiffness*rate*length*time", "potential: it depends on a velocity"),
        ("potential: stiffness*length**2\n    energy: driven", "potential says already where its work is counted"),
        ("dissipated: heat", "there is no parameter 'heat'"),
    ],
)
def test_what_cannot_be_counted(line: str, words: str) -> None:
    with pytest.raises(jd.JourdainError, match=words):
        jd.simulate(machine(line), 0.01)
