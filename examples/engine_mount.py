"""An engine on three rubber mounts: where it settles, its six modes, and how it answers its own torque.

python examples/engine_mount.py [picture.png]

Three mounts that are not placed about the mass centre couple the modes: bounce brings pitch with it.
"""

import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import jourdain as jd

MOUNTS = {"left": (0.25, 0.35, -0.15), "right": (0.25, -0.35, -0.15), "rear": (-0.45, 0.0, -0.1)}
STIFFNESS, DAMPING = (1.2e5, 1.2e5, 2.5e5), (150, 150, 300)


def build() -> jd.Mechanism:
    m = jd.Mechanism("engine on mounts", gravity=(0, 0, -9.81))
    engine = m.body("engine", mass=180, inertia=(8, 14, 12), position=(0, 0, 0.5), points=MOUNTS)
    for name, at in MOUNTS.items():
        frame = m.ground.point(name, np.add(at, (0, 0, 0.5)))
        m.bushing(f"mount_{name}", frame, engine[name], stiffness=(*STIFFNESS, 0, 0, 0), damping=(*DAMPING, 0, 0, 0))
    return m


def stiffness_by_hand() -> np.ndarray:
    """6 x 6, of springs at places r: sum of G^T K G with G = [1, -r x]; free of the weight that they carry."""
    total = np.zeros((6, 6))
    for x, y, z in MOUNTS.values():
        G = np.hstack([np.eye(3), -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])])
        total += G.T @ np.diag(STIFFNESS) @ G
    return total


def main() -> None:
    m = build()
    rest = jd.statics(m)
    print(rest)
    modes = jd.modes(m, rest)
    print(modes)
    by_hand = np.sqrt(np.linalg.eigvals(np.linalg.solve(np.diag([180] * 3 + [8, 14, 12]), stiffness_by_hand())))
    found = [mode.natural_frequency for mode in modes]
    # The weight on leaning springs changes the frequencies a little.
    assert np.allclose(found, np.sort(by_hand.real), rtol=0.02)
    share = sum(rest[f"mount_{name}.fz"] for name in MOUNTS)
    assert np.isclose(abs(share), 180 * 9.81, rtol=1e-9)
    if len(sys.argv) > 1:
        answer(m, rest, modes).savefig(sys.argv[1], dpi=90)


def answer(m: jd.Mechanism, rest: Any, modes: Any) -> Figure:
    """Roll of the engine for a torque about its shaft, over frequency."""
    system = jd.linearise(m, rest, inputs="engine.mx", outputs=["engine.wx", "mount_left.fz"])
    hertz = np.linspace(2, 40, 600)
    identity = np.eye(len(system.A))
    gain = [
        np.abs(system.C @ np.linalg.solve(2j * np.pi * f * identity - system.A, system.B) + system.D) for f in hertz
    ]
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    ax = figure.add_subplot()
    ax.semilogy(hertz, np.array(gain)[:, 1, 0])
    for f in modes.frequencies:
        ax.axvline(f, color="0.85", zorder=0)
    ax.set(xlabel="frequency (Hz)", ylabel="force of the left mount (N per N m)")
    return figure


if __name__ == "__main__":
    main()
