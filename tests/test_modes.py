"""Eigenfrequencies of textbook systems to 1e-9 and better, damping, shapes, motions, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import jourdain as jd
from jourdain.mechanism.parts import PortName

G = 9.81
CLOSE = 1e-9  # relative: what is promised; most are found to 1e-12


def rods(count: int, lengths=(1.0, 0.7), masses=(2.0, 1.2), angle: float = -1.2) -> jd.Mechanism:
    """A pendulum of one or more rods, drawn somewhere."""
    m = jd.Mechanism("rods", gravity=(0, -G))
    end, at = m.ground.point("O", (0, 0)), np.zeros(2)
    for k in range(count):
        L, mass = lengths[k], masses[k]
        along = L * np.array([np.cos(angle), np.sin(angle)])
        rod = m.body(
            f"rod{k + 1}",
            mass=mass,
            inertia=mass * L**2 / 12,
            position=at + along / 2,
            angle=angle,
            points={"a": (-L / 2, 0), "b": (L / 2, 0)},
        )
        m.revolute(f"J{k + 1}", end, rod["a"])
        end, at = rod["b"], at + along
    return m


# Undamped, in the plane ---------------------------------------------------------------------------------------------


def test_a_compound_pendulum() -> None:
    found = jd.modes(rods(1))
    assert found.angular_frequencies == pytest.approx([np.sqrt(1.5 * G)], rel=1e-13)
    assert found.frequencies == pytest.approx(found.angular_frequencies / (2 * np.pi))
    assert found[1].kind == "undamped" and found[1].damping_ratio == 0 and found[1].time_constant == np.inf
    displacement, rotation = found[1].shape["rod1"]  # the middle moves half a metre for each radian, sideways
    assert displacement / rotation == pytest.approx([0.5, 0], abs=1e-12)


def test_a_double_pendulum_of_rods() -> None:
    """K and M of two rods hanging at rest, by hand: T and V to second order in the angles."""
    (L1, L2), (m1, m2) = (1.0, 0.7), (2.0, 1.2)
    M = [[m1 * L1**2 / 3 + m2 * L1**2, m2 * L1 * L2 / 2], [m2 * L1 * L2 / 2, m2 * L2**2 / 3]]
    K = np.diag([(m1 / 2 + m2) * G * L1, m2 * G * L2 / 2])
    squares, X = eigh(K, M)
    found = jd.modes(rods(2))
    assert found.angular_frequencies == pytest.approx(np.sqrt(squares), rel=1e-12)
    for k in range(2):
        ratio = found[k + 1].shape["rod2"][1][0] / found[k + 1].shape["rod1"][1][0]
        assert ratio == pytest.approx(X[1, k] / X[0, k], rel=1e-10)


def chain(n: int, k: float, mass: float, fixed: bool = True) -> jd.Mechanism:
    """Masses on a line with equal springs between them, and to the ground at both ends if fixed."""
    m = jd.Mechanism("chain", gravity=(0, 0))
    before = m.ground.point("L", (0, 0))
    for j in range(1, n + 1):
        block = m.body(f"block{j}", mass=mass, inertia=1, position=(j, 0), points={"O": (0, 0)})
        m.prismatic(f"guide{j}", m.ground["L"], block["O"])
        if fixed or j > 1:
            m.spring_damper(f"spring{j}", before, block["O"], stiffness=k, length=1.0)
        before = block["O"]
    if fixed:
        m.spring_damper("last", before, m.ground.point("R", (n + 1, 0)), stiffness=k, length=1.0)
    return m


def test_a_chain_of_masses_between_walls() -> None:
    """w_j = 2 sqrt(k/m) sin(j pi / (2 (n + 1))): Meirovitch, Fundamentals of Vibrations, 2001."""
    n, k, mass = 8, 310.0, 0.7
    exact = 2 * np.sqrt(k / mass) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    assert jd.modes(chain(n, k, mass)).angular_frequencies == pytest.approx(exact, rel=1e-12)


def test_a_free_chain_has_a_rigid_mode_that_is_named() -> None:
    found = jd.modes(chain(3, 50.0, 2.0, fixed=False))
    assert found.angular_frequencies == pytest.approx(np.sqrt(50 / 2 * np.array([1.0, 3.0])), rel=1e-12)
    assert found[1].kind == "rigid" and found[1].eigenvalue == 0
    assert "mode 1: free motion that nothing resists (zero eigenvalues, in pairs)" in found.notes
    moves = [found[1].shape[f"block{j}"][0][0] for j in (1, 2, 3)]
    assert moves == pytest.approx([moves[0]] * 3) and "block2 moves along" in found[1].words


def test_a_free_shaft_with_three_discs() -> None:
    """J, J, J and k, k: w = sqrt(k/J), sqrt(3 k/J), and turning as a whole."""
    m = jd.Mechanism("shaft")
    before = m.ground.point("O", (0, 0))
    for j in range(3):
        disc = m.body(f"disc{j}", mass=1, inertia=0.4, position=(0, 0), points={"O": (0, 0), "rim": (0.3, 0)})
        m.revolute(f"J{j}", before, disc["O"])
        if j:
            m.torsion_spring_damper(f"shaft{j}", joint=f"J{j}", stiffness=900, angle=0)
        before = disc["O"]
    found = jd.modes(m)
    assert found.angular_frequencies == pytest.approx(np.sqrt(900 / 0.4 * np.array([1.0, 3.0])), rel=1e-12)
    assert [mode.kind for mode in found] == ["rigid", "undamped", "undamped"]


def four_bar() -> jd.Mechanism:
    m = jd.Mechanism("four-bar", gravity=(0, -G))
    m.ground.point("A", (0, 0))
    m.ground.point("D", (0.9, 0.1))
    bars = []
    for name, L, mass, angle in (("crank", 0.4, 1.0, 1.2), ("coupler", 0.8, 2.0, 0.3), ("rocker", 0.6, 1.5, 1.4)):
        ends = {"a": (-L / 2, 0), "b": (L / 2, 0)}
        bars.append(m.body(name, mass=mass, inertia=mass * L**2 / 12, angle=angle, points=ends))
    crank, coupler, rocker = bars
    m.revolute("A", m.ground["A"], crank["a"])
    m.revolute("B", crank["b"], coupler["a"])
    m.revolute("C", coupler["b"], rocker["b"])
    m.revolute("D", m.ground["D"], rocker["a"])
    m.torsion_spring_damper("hinge", joint="A", stiffness=60, angle=1.0)
    m.spring_damper("strut", crank["b"], m.ground["D"], stiffness=150, length=0.5)
    return m


def four_bar_energies(theta: complex, rate: float = 1.0):
    """V, and T at crank speed `rate`, of the same linkage in its crank angle, by closing it with complex numbers."""
    D, L1, L2, L3 = 0.9 + 0.1j, 0.4, 0.8, 0.6

    def places(x):
        """Coordinates of B and C for a complex x: real and imaginary parts of vectors are kept as pairs."""
        B = np.array([L1 * np.cos(x), L1 * np.sin(x)])
        d = np.array([D.real, D.imag]) - B
        dist2 = d[0] ** 2 + d[1] ** 2
        dist = np.sqrt(dist2)
        along = (dist2 + L2**2 - L3**2) / (2 * dist)
        height = np.sqrt(L2**2 - along**2)
        e = d / dist
        return B, B + along * e + height * np.array([-e[1], e[0]])

    B, C = places(theta)
    h = 1e-30
    if np.isrealobj(np.asarray(theta)):
        Bh, Ch = places(theta + 1j * h)
        dB, dC = Bh.imag / h * rate, Ch.imag / h * rate
        T = 0.0
        for p, q, mass in ((np.zeros(2), dB, 1.0), (dB, dC, 2.0), (np.zeros(2), dC, 1.5)):
            T += mass / 6 * (p @ p + p @ q + q @ q)  # a rod whose ends move with p and q
    else:
        T = None
    length = np.sqrt((D.real - B[0]) ** 2 + (D.imag - B[1]) ** 2)
    V = G * (1.0 * B[1] / 2 + 2.0 * (B[1] + C[1]) / 2 + 1.5 * (C[1] + D.imag) / 2)
    V = V + 30 * (theta - 1.0) ** 2 + 75 * (length - 0.5) ** 2
    return T, V


def test_a_four_bar_with_springs_against_its_minimal_lagrangian() -> None:
    found = jd.modes(four_bar())
    eq = jd.statics(four_bar())
    theta = eq["crank.angle"]

    def slope(x: float) -> float:
        return four_bar_energies(x + 1e-30j)[1].imag / 1e-30

    assert slope(theta) == pytest.approx(0, abs=1e-11)
    h = 1e-3
    curve = (8 * (slope(theta + h) - slope(theta - h)) - (slope(theta + 2 * h) - slope(theta - 2 * h))) / (12 * h)
    inertia = 2 * four_bar_energies(theta)[0]
    assert found.angular_frequencies == pytest.approx([np.sqrt(curve / inertia)], rel=CLOSE)


# Damped -------------------------------------------------------------------------------------------------------------


def quarter_car(damping: float = 1200.0) -> jd.Mechanism:
    m = jd.Mechanism("quarter car", gravity=(0, -G))
    up = {"angle": np.pi / 2}
    wheel = m.body("wheel", mass=40, inertia=1, position=(0, 0.3), points={"O": (0, 0)})
    body = m.body("body", mass=320, inertia=1, position=(0, 0.8), points={"O": (0, 0)})
    road = m.ground.point("road", (0, 0), **up)
    m.prismatic("W", road, wheel.point("up", (0, 0), **up))
    m.prismatic("B", road, body.point("up", (0, 0), **up))
    m.spring_damper("tyre", m.ground["road"], wheel["O"], stiffness=2e5, length=0.3)
    m.spring_damper("strut", wheel["O"], body["O"], stiffness=2e4, damping=damping, length=0.6)
    return m


def test_a_quarter_car_against_its_characteristic_polynomial() -> None:
    m1, m2, k1, k2, c = 40.0, 320.0, 2e5, 2e4, 1200.0
    quartic = [m1 * m2, (m1 + m2) * c, m1 * k2 + m2 * (k1 + k2), c * k1, k1 * k2]
    exact = sorted((s for s in np.roots(quartic) if s.imag > 0), key=abs)
    found = jd.modes(quarter_car())
    assert [mode.eigenvalue for mode in found] == pytest.approx(exact, rel=CLOSE)
    assert [mode.kind for mode in found] == ["damped", "damped"]
    assert found[1].damping_ratio == pytest.approx(-exact[0].real / abs(exact[0]), rel=1e-8)
    assert found[1].time_constant == pytest.approx(-1 / exact[0].real, rel=1e-8)


def oscillator(ratio: float) -> jd.Mechanism:
    """w = 5 rad/s with a damping ratio."""
    m = jd.Mechanism("oscillator")
    block = m.body("block", mass=2, inertia=1, position=(0, 0), points={"O": (0, 0), "P": (1, 0)})
    m.prismatic("guide", m.ground.point("O", (0, 0)), block["O"])
    m.actuator("spring", joint="guide", stiffness=50, damping=ratio * 20)
    return m


def test_overdamped_and_critically_damped_are_told() -> None:
    slow = jd.modes(oscillator(1.25))
    assert [mode.eigenvalue for mode in slow] == pytest.approx([-2.5, -10], rel=1e-12)
    assert "modes 1, 2 decay without oscillation" in slow.notes and len(slow.frequencies) == 0
    critical = jd.modes(oscillator(1.0))
    assert len(critical) == 1 and critical[1].kind == "critically damped"
    assert critical[1].eigenvalue == pytest.approx(-5, rel=1e-7)
    assert "two eigenvalues in one with a single shape (critical damping)" in critical.notes[0]


def test_an_inverted_pendulum_grows_and_is_called_unstable() -> None:
    found = jd.modes(rods(1, angle=np.pi / 2))
    assert [mode.eigenvalue for mode in found] == pytest.approx(np.sqrt(1.5 * G) * np.array([1, -1]), rel=1e-12)
    assert not found.stable and "unstable: mode 1 grows" in found.notes


def ziegler(load: float) -> jd.Mechanism:
    """Two massless bars of 1 m, masses of 2 and 1 kg at their ends, springs of 1 N m/rad, a load along the last bar."""
    m = jd.Mechanism("column")
    end = m.ground.point("O", (0, 0))
    for k, mass in enumerate((2.0, 1.0)):
        points = {"a": (0, 0), "b": (1, 0)}
        bar = m.body(f"bar{k}", mass=mass, inertia=0, centre=(1, 0), position=(k, 0), points=points)
        m.revolute(f"J{k}", end, bar["a"])
        m.torsion_spring_damper(f"spring{k}", joint=f"J{k}", stiffness=1.0, angle=0)
        end = bar["b"]
    m.follower_force("load", on=end, vector=(-load, 0))
    return m


def test_a_column_under_a_follower_force_flutters_above_its_critical_load() -> None:
    """7/2 - sqrt(2): Ziegler, Die Stabilitaetskriterien der Elastomechanik, Ingenieur-Archiv 20, 1952."""
    critical = 3.5 - np.sqrt(2)
    below, above = critical * (1 - 1e-6), critical * (1 + 1e-6)
    assert jd.modes(ziegler(below)).stable and jd.statics(ziegler(below)).stability == "stable"
    growing = jd.modes(ziegler(above))
    assert not growing.stable and "growing oscillation" in [mode.kind for mode in growing]
    eq = jd.statics(ziegler(above))
    assert eq.stability == "unstable"
    assert "the forces have no potential, so damping decides on stability too: see modes" in eq.notes


def test_states_of_elements_take_part() -> None:
    """An oscillator whose force follows a lag: s^2 + 25 + 10/(1 + s/4) = 0 times (1 + s/4)."""
    m = oscillator(0.0)
    m.first_order("lag", input="guide.displacement", time_constant=0.25)
    m.force("push", on=PortName("block", "O"), vector=("-20*lag.output", 0))
    exact = np.roots([0.25, 1, 25 * 0.25, 25 + 10])
    found = jd.modes(m)
    values = sorted([mode.eigenvalue for mode in found], key=abs)
    assert values == pytest.approx(sorted((s for s in exact if s.imag >= 0), key=abs), rel=CLOSE)


def test_a_mode_of_an_element_alone_moves_no_body() -> None:
    m = oscillator(0.1)
    m.first_order("lag", input="guide.displacement", time_constant=0.25)  # it follows, and nothing follows it
    found = jd.modes(m)
    assert found[1].eigenvalue == pytest.approx(-4, rel=1e-12) and found[1].kind == "decays"
    assert found[1].words.startswith("bodies stand still, lag.") and found[1].words.endswith(" changes")
    assert found[2].damping_ratio == pytest.approx(0.1, rel=1e-11)


# In space -----------------------------------------------------------------------------------------------------------


def test_a_body_on_a_bushing_has_its_six_modes() -> None:
    m = jd.Mechanism("engine", gravity=(0, 0, 0))
    k, kt, inertia = np.array([3e4, 5e4, 9e4]), np.array([700.0, 900.0, 400.0]), np.array([2.0, 1.5, 0.8])
    block = m.body(
        "engine", mass=12, inertia=tuple(inertia), position=(0, 0, 0), points={"O": (0, 0, 0), "P": (1, 0, 0)}
    )
    m.bushing("mount", m.ground.point("O", (0, 0, 0)), block["O"], stiffness=(*k, *kt))
    exact = np.sort(np.sqrt(np.concatenate([k / 12, kt / inertia])))
    found = jd.modes(m)
    assert found.angular_frequencies == pytest.approx(exact, rel=CLOSE)
    assert found[1].words.startswith("engine turns about")


def test_a_platform_on_six_legs_against_its_stiffness_matrix() -> None:
    """Free legs carry nothing at rest, so K = sum k w w^T with w = (u, r x u), and M = diag(m, I)."""
    m = jd.Mechanism("platform", gravity=(0, 0, 0))
    top = m.body("top", mass=50, inertia=(5, 5, 9), position=(0, 0, 1))
    K = np.zeros((6, 6))
    for j in range(6):
        a, b = np.radians(60 * (j // 2 * 2) + (-12 if j % 2 == 0 else 12)), np.radians(60 * ((j + 1) // 2 * 2) - 60)
        foot, tip = np.array([np.cos(a), np.sin(a), 0]), 0.6 * np.array([np.cos(b), np.sin(b), 0])
        leg = tip - foot + np.array([0, 0, 1])
        length = float(np.linalg.norm(leg))
        m.spring_damper(f"leg{j}", m.ground.point(f"F{j}", foot), top.point(f"T{j}", tip), stiffness=4e4, length=length)
        w = np.concatenate([leg / length, np.cross(tip, leg / length)])
        K += 4e4 * np.outer(w, w)
    squares = eigh(K, np.diag([50, 50, 50, 5, 5, 9]), eigvals_only=True)
    assert jd.modes(m).angular_frequencies == pytest.approx(np.sqrt(squares), rel=CLOSE)


# Along motions ------------------------------------------------------------------------------------------------------


def test_a_sleeping_top_precesses_and_nutates_as_in_closed_form() -> None:
    """A nu^2 - C W nu + m g l = 0 (Goldstein, Classical Mechanics, section 5.7)."""
    A, C, W, mass, arm = 2.0, 0.8, 30.0, 3.0, 0.4
    m = jd.Mechanism("top", gravity=(0, 0, -G))
    inertia = (A - mass * arm**2, A - mass * arm**2, C)
    top = m.body("top", mass=mass, inertia=inertia, position=(0, 0, arm), spin=(0, 0, W), points={"O": (0, 0, -arm)})
    m.spherical("O", m.ground.point("O", (0, 0, 0)), top["O"])
    exact = (C * W + np.array([-1, 1]) * np.sqrt((C * W) ** 2 - 4 * A * mass * G * arm)) / (2 * A)
    found = jd.modes(m, "start")
    assert found.angular_frequencies == pytest.approx(exact, rel=1e-11)
    assert found[1].kind == "rigid" and found[1].words == "top turns about z"
    assert any("they are constant only if the motion is steady" in note for note in found.notes)


def test_a_rotor_in_a_soft_housing_whirls_forwards_and_backwards() -> None:
    """(Ih + It) nu^2 - C W nu - k = 0, of either sign of nu: Genta, Dynamics of Rotating Systems, 2005."""
    Ih, It, C, W, k = 0.3, 0.5, 0.9, 80.0, 2000.0
    m = jd.Mechanism("rotor", gravity=(0, 0, 0))
    points = {"O": (0, 0, 0), "axle": {"at": (0, 0, 0), "axis": (0, 0, 1)}}
    housing = m.body("housing", mass=2, inertia=(Ih, Ih, 0.2), position=(0, 0, 0), points=points)
    rotor = m.body("rotor", mass=3, inertia=(It, It, C), position=(0, 0, 0), spin=(0, 0, W), points=points)
    m.bushing("mount", m.ground.point("O", (0, 0, 0)), housing["O"], stiffness=(1e5, 1e5, 1e5, k, k, 5e3))
    m.revolute("axle", housing["axle"], rotor["axle"])
    whirl = np.abs((C * W + np.array([-1, 1]) * np.sqrt((C * W) ** 2 + 4 * (Ih + It) * k)) / (2 * (Ih + It)))
    exact = np.sort([*whirl, *[np.sqrt(1e5 / 5)] * 3, np.sqrt(5e3 / 0.2)])
    assert jd.modes(m, "start").angular_frequencies == pytest.approx(exact, rel=CLOSE)


def test_a_disc_rolling_upright_is_stable_above_its_critical_speed() -> None:
    """Lean and yaw of a thin disc: w^2 = (3 W^2 - g/r) 4/5 (Routh, Advanced Rigid Dynamics, 1905)."""
    r, mass = 0.3, 2.0
    for W, stable in ((8.0, True), (3.0, False)):
        m = jd.Mechanism("disc", gravity=(0, 0, -G))
        across, about = mass * r**2 / 4, mass * r**2 / 2
        disc = m.body(
            "disc",
            mass=mass,
            inertia=(across, across, about),
            position=(0, 0, r),
            matrix=[[1, 0, 0], [0, 0, -1], [0, 1, 0]],  # its axis along -y
            velocity=(r * W, 0, 0),
            spin=(0, W, 0),
            points={"C": (0, 0, 0), "rim": (r, 0, 0)},
        )
        m.rolling_disc("roll", m.ground.point("O", (0, 0, 0)), disc["C"], radius=r)
        found = jd.modes(m, "start")
        square = (3 * W**2 - G / r) * 4 / 5
        values = [mode.eigenvalue for mode in found if mode.eigenvalue]
        exact = [1j * np.sqrt(square)] if stable else [np.sqrt(-square), -np.sqrt(-square)]
        assert values == pytest.approx(exact, rel=CLOSE)
        assert found.stable == stable


# Pictures, refusals, commands ---------------------------------------------------------------------------------------


def test_modes_are_drawn_animated_and_told(tmp_path: Path) -> None:
    found = jd.modes(four_bar())
    figure = found.plot(1, tmp_path / "mode.png")
    assert figure.axes[0].get_title(loc="left") == f"four-bar: mode 1, {found[1].frequency:.4g} Hz"
    found.animate(1, tmp_path / "mode.html")
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("mode.png", "mode.html"))
    record = found.record(1)
    assert record["B.fx"] is not None and np.ptp(record["crank.angle"]) > 0.05
    gap = np.hypot(record["crank.b.x"] - record["coupler.a.x"], record["crank.b.y"] - record["coupler.a.y"])
    assert np.max(gap) < 1e-12  # loops stay closed at any amplitude
    assert record.t[-1] == pytest.approx(3 / found[1].frequency)
    table = str(found).splitlines()
    assert table[0] == "four-bar: 1 mode about its equilibrium at t = 0 s"
    assert table[1].split() == ["mode", "Hz", "rad/s", "damping", "time", "const.", "kind", "shape"]


def test_a_start_that_is_no_equilibrium_is_refused_in_words() -> None:
    with pytest.raises(jd.EquilibriumError) as caught:
        jd.modes(rods(1, angle=0.0), "start")
    text = str(caught.value)
    assert "'rods' is not in equilibrium in its start at t = 0 s: a net force of 14.7 N along -y" in text
    assert "use about='equilibrium', or about=run, t=... for modes along a motion" in text


def test_a_singular_position_is_refused() -> None:
    text = "in a singular position in its equilibrium at t = 0 s, where the joints leave more freedom than elsewhere"
    with pytest.raises(jd.EquilibriumError, match=text):
        jd.modes(jd.example("singular_slider_crank"))


def test_a_long_chain_keeps_nine_digits() -> None:
    """Thirty rods: M and K in absolute angles, by hand."""
    n = 30
    M, K = np.eye(n) / 12, np.diag([G * (n - k - 0.5) for k in range(n)])
    for k in range(n):
        place = np.array([1.0] * k + [0.5] + [0.0] * (n - k - 1))
        M += np.outer(place, place)
    exact = np.sqrt(eigh(K, M, eigvals_only=True))
    found = jd.modes(rods(n, [1.0] * n, [1.0] * n, angle=-np.pi / 2))
    assert found.angular_frequencies == pytest.approx(exact, rel=CLOSE)


def test_wrong_numbers_and_places_are_refused() -> None:
    found = jd.modes(rods(1))
    with pytest.raises(KeyError, match="there is no mode 2; the mechanism has 1 mode, numbered 1 to 1"):
        found.plot(2)
    with pytest.raises(jd.PictureError, match="amplitude is -1; expected a positive number"):
        found.plot(1, amplitude=-1)
    with pytest.raises(jd.ChoiceError, match=r"about is 'equilibrum'; .*did you mean 'equilibrium'\?"):
        jd.modes(rods(1), "equilibrum")


def test_a_locked_mechanism_has_no_modes_and_says_so() -> None:
    m = rods(1)
    m.motion("drive", joint="J1", angle="1 + t")
    found = jd.modes(m)
    assert len(found) == 0 and "the mechanism has no freedom: there are no coordinates" in found.notes


def test_the_commands(jourdain, folder: Path) -> None:
    said = jourdain("modes", "double_pendulum", "--animate", "1=one.html", "--plot", "2=two.png")
    assert said.code == 0 and "double pendulum: 2 modes about its equilibrium" in said.out
    assert "one.html written" in said.out and (folder / "two.png").stat().st_size > 0
    said = jourdain("statics", "four_bar", "--json")
    assert said.code == 0 and '"stability": "stable"' in said.out
    said = jourdain("modes", "pendulum", "--about", "start")
    assert said.code == 1 and "is not in equilibrium in its start" in said.err
    said = jourdain("modes", "pendulum", "--animate", "one.html")
    assert said.code == 2 and "expected the number of a mode and a file, such as --animate 1=mode1.html" in said.err
    said = jourdain("statics", "two_bars")
    assert said.code == 1 and "no equilibrium of 'two bars in space'" in said.err
