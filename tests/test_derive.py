"""jd.derive: lines against the kernel, against complex steps, against papers; code that stands alone; outputs."""

from __future__ import annotations

import cmath
import ctypes
import re
import shutil
import subprocess
import time
import xml.dom.minidom
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jourdain as jd
from jourdain.choices import COORDINATES, TREATMENTS
from jourdain.derive.kernel_check import DerivationError
from jourdain.derive.sample_parts import known_types
from jourdain.derive.vector_terms import JointRow, cross
from jourdain.equations.parse import equation
from jourdain.files import gallery
from jourdain.library import TYPES
from jourdain.library.joints import KINDS

# The three parts that a derivation of a mechanism consists of agree to some hundred last digits.
ROUNDING = 1e-12
SETS = {space: [name for name, one in known.items() if one.shown] for space, known in COORDINATES.items()}


# Everything there is --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [kind.name for kind in KINDS if kind.name != "custom"])
def test_every_joint_kind(name: str) -> None:
    found = jd.derive(name)
    assert found.checked.poses == 20
    assert found.checked.worst < ROUNDING
    assert f"checked at 20 poses to {found.checked.worst:.0e}" in str(found.checked)
    for space, sets in SETS.items():
        if KINDS[[k.name for k in KINDS].index(name)].rows(2 if space == "planar" else 3) is None:
            continue
        for coordinates in sets if name in ("prismatic", "distance") else sets[:1]:
            if coordinates != "relative":
                assert jd.derive(name, "components", coordinates).checked.worst < ROUNDING


def test_every_type_of_relation_force_and_element() -> None:
    assert set(known_types()) == set(TYPES)
    for name in known_types():
        found = jd.derive(name)
        assert found.checked.worst < ROUNDING, name
        assert len(found.document.sections) >= 2


@pytest.mark.parametrize("name", gallery.example_names())
def test_every_machine_of_the_gallery_in_blocks(name: str) -> None:
    m = jd.example(name)
    found = jd.derive(m)
    assert found.checked.worst < ROUNDING
    text = found.markdown()
    assert "How it is solved: kkt" in text and "Graph and cuts" in text
    assert len(text.splitlines()) < 260


def test_ten_bodies_fit_on_two_pages() -> None:
    found = jd.derive(jd.example("hanging_chain"))
    assert len(found.document.sections) > 5
    assert len(found.markdown().splitlines()) < 120  # some sixty lines a page


def test_every_coordinate_set_and_treatment() -> None:
    for space, known in COORDINATES.items():
        for name, one in known.items():
            if not name.endswith("-fixed"):  # the same formulas as without
                assert jd.derive(one).checked.worst < ROUNDING, (space, name)
        m = jd.example("slider_crank" if space == "planar" else "rssr")
        for name in SETS[space]:
            assert jd.derive(m, coordinates=name).checked.worst < ROUNDING
    for name in TREATMENTS:
        jd.derive(name)  # an error if its lines do not give what the bordered system gives


def test_a_wrong_line_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from jourdain.derive import vector_terms

    def wrong(self: Any) -> Any:
        return self.gamma_true.negated()

    monkeypatch.setattr(vector_terms.JointRow, "gamma_true", property(lambda self: self._second(3)), raising=False)
    monkeypatch.setattr(vector_terms.JointRow, "gamma", property(wrong))
    jd.derive("prismatic")  # the same thing, twice negated
    monkeypatch.setattr(vector_terms.JointRow, "gamma", property(lambda self: self._second(3)))
    with pytest.raises(DerivationError, match="gamma"):
        jd.derive("prismatic")


# The paper's own joints -----------------------------------------------------------------------------------------------


def test_from_21_alone_come_22_29_and_30() -> None:
    """Marquis-Favre 2006; the terms with theta'^2 are kept, and lam has the house sign."""
    text = jd.derive(["dot(N - M, y_i)", "dot(N - M, y_j)"]).markdown()
    for line in (
        "C_1 = MN·y_i",
        "C'_1 = (V_N - V_M)·y_i + MN·(ω_i × y_i)",
        "C''_2 = (A_N - A_M)·y_j + 2 (V_N - V_M)·(ω_j × y_j) + MN·(ω'_j × y_j + ω_j × (ω_j × y_j))",
        "F_i = λ_1 y_i + λ_2 y_j",
        "C_i = -λ_1 (y_i × MN)",
        # eq. 28
        "C_1 = -(x_N - x_M) sin(θ_M) + (y_N - y_M) cos(θ_M)",
        # eq. 29
        "C'_1 = -(x'_N - x'_M) sin(θ_M) + (y'_N - y'_M) cos(θ_M) + θ'_M (-(x_N - x_M) cos(θ_M) - (y_N - y_M) sin(θ_M))",
        # eq. 30 with the term that the paper drops
        "+ 2 θ'_M (-(x'_N - x'_M) cos(θ_M) - (y'_N - y'_M) sin(θ_M))",
        "- θ'_M² (-(x_N - x_M) sin(θ_M) + (y_N - y_M) cos(θ_M))",
        # eq. 22, other sign
        "F_xi = -λ_1 sin(θ_M) - λ_2 sin(θ_N)",
        "F_yi = λ_1 cos(θ_M) + λ_2 cos(θ_N)",
    ):
        assert line in text, line
    assert "With M = N and parallel axes its 2 rows have rank 1" in text


def test_a_point_on_a_circle_from_its_vector_equation_alone() -> None:
    found = jd.derive("dot(N - M, N - M) - 0.02**2")
    text = found.markdown()
    assert "C_1 = MN·MN - 0.0004" in text
    assert "C'_1 = 2 (V_N - V_M)·MN" in text
    assert "F_i = 2 λ_1 MN" in text and "F_j = -2 λ_1 MN" in text
    m = jd.Mechanism("bead", gravity=(0, -9.81))
    disc = m.body("disc", mass=1, inertia=0.5, position=(0, 0), points={"O": (0, 0)})
    bead = m.body("bead", mass=0.1, inertia=0.01, position=(0.02, 0), points={"P": (0, 0)})
    m.revolute("hub", m.ground.point("O", (0, 0)), disc["O"])
    m.custom("slot", disc["O"], bead["P"], equations=["dot(N - M, N - M) - 0.02**2"])
    assert "C_1 = MN·MN - 0.0004" in jd.derive(m, part="slot").markdown()


COEFFICIENTS = (
    ("1", lambda t: 1.0),
    ("-2.5", lambda t: -2.5),
    ("cos(0.7*t)", lambda t: cmath.cos(0.7 * t)),
    ("(1 + t**2)", lambda t: 1 + t**2),
    ("exp(-0.3*t)", lambda t: cmath.exp(-0.3 * t)),
)
NAMES = {2: ["M", "N", "MN", "x_i", "y_i", "x_j", "y_j", "e_x", "e_y"]}
NAMES[3] = [*NAMES[2], "z_i", "z_j", "e_z"]


def moving(rng: np.random.Generator, dim: int) -> Any:
    """Vectors of two ports that move, as analytic functions of time, by the names of derive."""
    c = rng.normal(size=(2, 3, 3))
    a = rng.normal(size=(2, 3, 2))
    if dim == 2:
        c[:, 2], a[:, :2] = 0.0, 0.0

    def turn(axis: int, angle: complex) -> Any:
        R = np.eye(3, dtype=complex)
        j, k = (axis + 1) % 3, (axis + 2) % 3
        R[j, j] = R[k, k] = cmath.cos(angle)
        R[k, j], R[j, k] = cmath.sin(angle), -cmath.sin(angle)
        return R

    def at(t: complex) -> dict[str, Any]:
        found: dict[str, Any] = {f"e_{x}": np.eye(3)[k] for k, x in enumerate("xyz")}
        for n, (side, point) in enumerate((("i", "OM"), ("j", "ON"))):
            found[point] = c[n, :, 0] + c[n, :, 1] * t + c[n, :, 2] * cmath.sin(t)
            R = np.eye(3, dtype=complex)
            for axis in range(3):
                R = R @ turn(axis, a[n, axis, 0] + a[n, axis, 1] * t)
            found |= {f"{x}_{side}": R[:, k] for k, x in enumerate("xyz")}
        found["MN"] = found["ON"] - found["OM"]
        return found

    return at


STEP = 1e-30  # of complex steps: nothing cancels
STENCIL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # of a derivative of order 8


def rates_of(f: Any, t: float, h: float = 0.004) -> tuple[Any, Any]:
    """First derivative by a complex step, the second by differences of such."""

    def first(x: float) -> Any:
        return np.imag(f(x + 1j * STEP)) / STEP

    return first(t), sum(w * (first(t + k * h) - first(t - k * h)) for k, w in STENCIL.items()) / h


@pytest.mark.parametrize("dim", [2, 3])
def test_random_custom_joints_agree_with_complex_steps(dim: int) -> None:
    rng = np.random.default_rng(26 + dim)
    for _ in range(100):
        at, t = moving(rng, dim), float(rng.uniform(0, 2))
        terms = []
        for _ in range(int(rng.integers(1, 5))):
            a, b = rng.choice(NAMES[dim], 2)
            text, c = COEFFICIENTS[int(rng.integers(len(COEFFICIENTS)))]
            if not (a.startswith("e_") and b.startswith("e_")):
                terms.append((str(a), str(b), text, c))
        if not terms:
            continue
        texts = [f"{text}*dot({a}, {b})" for a, b, text, _ in terms]
        row = JointRow(equation(" + ".join(texts) + " + sin(t)"), "")
        full = {"M": "OM", "N": "ON"}

        def direct(x: complex, terms: Any = terms, at: Any = at, full: Any = full) -> complex:
            v = at(x)
            products = (c(x) * np.sum(v[full.get(a, a)] * v[full.get(b, b)]) for a, b, _, c in terms)
            return sum(products) + cmath.sin(x)

        env = environment(at, t, dim)
        first, second = rates_of(direct, t)
        times = np.array([t])
        scale = 1.0 + abs(second)
        assert row.C.value(env, times)[0] == pytest.approx(direct(t).real, abs=1e-10 * scale)
        assert row.rate.value(env, times)[0] == pytest.approx(first, abs=1e-10 * scale)
        assert row.acceleration.value(env, times)[0] == pytest.approx(second, abs=1e-10 * scale)
        lifted = row.acceleration.value(env | still(env), times)[0]
        assert row.gamma.value(env, times)[0] == pytest.approx(-lifted, abs=1e-10 * scale)


def environment(at: Any, t: float, dim: int) -> dict[str, Any]:
    """Values at t, with velocities, spins and their rates by complex steps."""
    names = list(at(t))
    values = {name: np.real(at(t)[name]) for name in names}
    rates = {
        name: rates_of(lambda x, name=name: at(x)[name], t)
        for name in ("OM", "ON", *(f"{x}_{s}" for s in "ij" for x in "xyz"))
    }
    found = dict(values)
    for side, point in (("i", "M"), ("j", "N")):
        found[f"V_{point}"], found[f"A_{point}"] = rates[f"O{point}"]
        axes = [(values[f"{x}_{side}"], *rates[f"{x}_{side}"]) for x in "xyz"]
        found[f"w_{side}"] = 0.5 * sum(np.cross(u, du) for u, du, _ in axes)
        found[f"dw_{side}"] = 0.5 * sum(np.cross(u, ddu) for u, _, ddu in axes)
        found[f"r_{side}"] = np.array([0.3, -0.2, 0.0 if dim == 2 else 0.4])
    return {name: np.asarray(vector, dtype=float)[None] for name, vector in found.items()}


def still(env: dict[str, Any]) -> dict[str, Any]:
    """Accelerations at v' = 0: those of points are what turning about the mass centre leaves."""
    found = {f"dw_{s}": np.zeros((1, 3)) for s in "ij"}
    for side, point in (("i", "M"), ("j", "N")):
        found[f"A_{point}"] = cross(env[f"w_{side}"], cross(env[f"w_{side}"], env[f"r_{side}"]))
    return found


# Code that stands alone -----------------------------------------------------------------------------------------------

MACHINES = (("four_bar", None), ("slider_crank", None), ("double_pendulum", "relative"), ("four_bar", "natural"))


@pytest.mark.parametrize(("name", "coordinates"), MACHINES)
def test_python_and_c_that_stand_alone_move_as_simulate_does(name: str, coordinates: Any, tmp_path: Path) -> None:
    m = jd.example(name)
    found = jd.derive(m, coordinates=coordinates)
    functions: dict[str, Any] = {}
    text = found.python()
    assert "jourdain" not in text.replace("Jourdain", "")
    exec(compile(text, "derived", "exec"), functions)
    duration = 2.0
    tight = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}
    run = jd.simulate(m, duration, every=duration, coordinates=found.coordinates, **tight)  # type: ignore[arg-type]
    end = jd.matrices(m, run.state(), coordinates=found.coordinates)
    expected = np.concatenate([end.q, end.v])
    for rhs in (functions["rhs"], compiled(found.c(), tmp_path)):
        path = solve_ivp(rhs, (0, duration), functions["START"], method="DOP853", rtol=1e-12, atol=1e-12)
        assert np.max(np.abs(path.y[: expected.size, -1] - expected)) < 1e-9


def compiled(text: str, folder: Path) -> Any:
    """rhs of C code, without a warning."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "derived.c").write_text(text)
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    target = folder / "derived.so"
    subprocess.run([compiler, *flags, str(folder / "derived.c"), "-o", str(target), "-lm"], check=True)
    library = ctypes.CDLL(str(target))
    pointer = ctypes.POINTER(ctypes.c_double)

    def rhs(t: float, y: Any) -> Any:
        y, dy = np.ascontiguousarray(y), np.empty(len(y))
        assert library.rhs(ctypes.c_double(t), y.ctypes.data_as(pointer), dy.ctypes.data_as(pointer)) > 0
        return dy

    return rhs


def test_what_cannot_be_written_down_is_told_and_rhs_refuses() -> None:
    found = jd.derive(jd.example("motor_crank"))
    functions: dict[str, Any] = {}
    exec(compile(found.python(), "derived", "exec"), functions)
    with pytest.raises(NotImplementedError, match="rubbing"):
        functions["rhs"](0.0, functions["START"])
    assert "rubbing" in found.markdown() and "not checked: forces of rubbing" in str(found.checked)


def test_redundant_rows_are_solved_in_the_least_way() -> None:
    found = jd.derive(jd.example("spatial_four_bar"))
    functions: dict[str, Any] = {}
    exec(compile(found.python(), "derived", "exec"), functions)
    f = jd.rhs(jd.example("spatial_four_bar"), "quaternion")
    n = f.model.layout.motion.stop
    assert functions["rhs"](0.0, functions["START"])[:n] == pytest.approx(f(0.0, f.start)[:n], abs=1e-9)


# Minimal form ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "quick_return"])
def test_loops_in_closed_form(name: str) -> None:
    found = jd.derive(jd.example(name), "minimal", budget=120.0)
    assert found.level == "minimal"
    assert found.checked.worst < 1e-9
    assert "in closed form" in found.markdown()
    assert found.sympy()["positions"]


def test_double_pendulum_in_minimal_form() -> None:
    found = jd.derive(jd.example("double_pendulum"), "minimal").sympy()
    mass = found["mass"]
    assert mass.shape == (2, 2) and mass[0, 1] == mass[1, 0]


def test_minimal_keeps_its_budget_and_says_so() -> None:
    jd.derive(jd.example("four_bar"), coordinates="relative")  # kernels are compiled
    begun = time.perf_counter()
    found = jd.derive(jd.example("four_bar"), "minimal", budget=0.05)
    assert time.perf_counter() - begun < 10.0
    assert found.level == "blocks"
    assert "not ready after 0.05 s; the blocks follow instead" in found.markdown()
    many = jd.derive(jd.example("hanging_chain"), "minimal")
    assert many.level == "blocks" and "one to 3 degrees of freedom" in many.markdown()


# Papers ---------------------------------------------------------------------------------------------------------------


def test_stanescu_mass_matrix_and_bias() -> None:
    """M = [[m, A S^T Q], [Q^T S A^T, Q^T J_O Q]] and F~, with the misprints mended, in body axes."""
    m = jd.Mechanism("bar", gravity=(0, 0, 0))
    inertia, centre = (0.3, 0.4, 0.5, 0.02, -0.03, 0.01), (0.2, -0.1, 0.3)
    m.body(
        "bar", mass=2, inertia=inertia, centre=centre, position=(0, 0, 0), bryan=(0.3, 0.4, -0.5), spin=(0.2, 0.7, -0.4)
    )
    a = jd.matrices(m, coordinates="bryan-fixed")
    psi, theta, phi = a.q[3:6]
    rates = a.v[3:]

    def frames(angles: Any) -> tuple[Any, Any]:
        x, y, z = angles
        X = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
        Y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
        Z = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
        Q = np.stack([Z.T @ Y.T @ np.eye(3)[0], Z.T @ np.eye(3)[1], np.eye(3)[2]], axis=1)
        return X @ Y @ Z, Q

    def skew(v: Any) -> Any:
        return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])

    h = 1e-6
    A, Q = frames((psi, theta, phi))
    ahead, behind = (frames(np.array([psi, theta, phi]) + s * h * rates) for s in (1, -1))
    dA, dQ = ((p - q) / (2 * h) for p, q in zip(ahead, behind, strict=True))
    xx, yy, zz, xy, xz, yz = inertia
    c = np.array(centre)
    S = 2 * skew(c)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + 2 * (c @ c * np.eye(3) - np.outer(c, c))
    M = np.block([[2 * np.eye(3), A @ S.T @ Q], [Q.T @ S @ A.T, Q.T @ J @ Q]])
    assert pytest.approx(M, abs=1e-12) == a.M
    omega = skew(Q @ rates)
    slow = -(A @ S.T @ dQ + dA @ S.T @ Q) @ rates
    fast = -Q.T @ (J @ dQ + omega @ J @ Q) @ rates
    assert a.bias == pytest.approx(np.concatenate([slow, fast]), abs=1e-8)  # differences of 1e-6
    lines = jd.derive("bryan").markdown()
    assert "M_b = [m 1, A Sᵀ Q; Qᵀ S Aᵀ, Qᵀ J_O Q]" in lines
    assert "F~_s = -(A Sᵀ Q' + A' Sᵀ Q) β'" in lines


def test_pappalardo_mass_matrix_and_constraint_blocks() -> None:
    m = jd.Mechanism("bar", gravity=(0, 0))
    bar = m.body("bar", mass=3, inertia=0.7, centre=(0.4, -0.2), position=(0, 0), angle=0.3, points={"P": (1, 2)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["P"])
    a = jd.matrices(m, coordinates="natural")
    Jx, Jy = 3 * 0.4, 3 * -0.2
    small = np.array([[3, Jx, Jy], [Jx, 0.35 + 3 * 0.16, 3 * 0.4 * -0.2], [Jy, 3 * 0.4 * -0.2, 0.35 + 3 * 0.04]])
    assert pytest.approx(np.kron(small, np.eye(2)), abs=1e-14) == a.M
    alpha, beta = a.q[2:4], a.q[4:6]
    zero = np.zeros(2)
    own = [[*zero, *(2 * alpha), *zero], [*zero, *beta, *alpha], [*zero, *zero, *(2 * beta)]]
    assert a.J[:3] == pytest.approx(np.array(own), abs=1e-14)
    assert a.J[3:] == pytest.approx(np.kron([1.0, 1.0, 2.0], np.eye(2)), abs=1e-14)  # r = R + x alpha + y beta
    text = jd.derive("natural").markdown()
    assert "M_b = [m, J_x, J_y; J_x, J_xx, J_xy; J_y, J_xy, J_yy] ⊗ 1" in text


def test_wijckmans_recursion_for_the_double_pendulum() -> None:
    found = jd.derive(jd.example("double_pendulum"), coordinates="relative")
    text = found.markdown()
    for line in (
        "V_j = A V_i + B q'_ij",
        "D = Bᵀ Mh_j B",
        "Mt_i = Aᵀ (Mh_j - Mh_j B D⁻¹ Bᵀ Mh_j) A",
        "gt_i = Aᵀ (h - Mh_j B D⁻¹ (τ + Bᵀ h))",
        "q''_ij = D⁻¹ (τ + Bᵀ (gh_j - Mh_j (A V'_i + c)))",
    ):
        assert line in text, line


# Outputs --------------------------------------------------------------------------------------------------------------


def test_documents_are_whole() -> None:
    for found in (jd.derive("weld"), jd.derive(jd.example("rssr"), coordinates="bryan"), jd.derive("spring-damper")):
        tex = found.latex()
        assert tex.startswith("\\documentclass") and tex.rstrip().endswith("\\end{document}")
        assert tex.count("{") - tex.count("\\{") == tex.count("}") - tex.count("\\}")
        assert tex.count("\\begin{align*}") == tex.count("\\end{align*}")
        assert tex.isascii() or all(ord(c) < 256 for c in tex)
        page = found.html()
        assert "<script" not in page and "http" not in page
        for formula in re.findall(r"<math.*?</math>", page):
            xml.dom.minidom.parseString(formula)
        assert "checked at 20 poses" in found.markdown().lower()
        assert "<math " in found._repr_html_()


def test_latex_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex: install texlive-latex-recommended to try the LaTeX output")
    for k, found in enumerate((jd.derive("universal"), jd.derive(jd.example("four_bar"), "components"))):
        source = tmp_path / f"derived{k}.tex"
        source.write_text(found.latex(), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]


def test_names_with_special_characters_are_escaped() -> None:
    m = jd.Mechanism('50 % $x_1$ & <b>\\evil{} */ """ #', gravity=(0, -9.81))
    bar = m.body("été_1", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0)})
    m.revolute("A_b", m.ground.point("O", (0, 0)), bar["A"])
    found = jd.derive(m, "components")
    tex = found.latex()
    assert "\\evil" not in tex and "<b>" not in found.html().replace("&lt;b&gt;", "")
    functions: dict[str, Any] = {}
    exec(compile(found.python(), "derived", "exec"), functions)
    assert "*/" not in found.c().split("#include")[0].rstrip()[:-2]
    found.sympy()
    jd.derive(m, "minimal").latex()


def test_sympy_objects_have_the_values_of_the_kernel() -> None:
    m = jd.example("slider_crank")
    found, a = jd.derive(m).sympy(), jd.matrices(m)
    values = dict(zip(found["q"], a.q, strict=True)) | dict(zip(found["v"], a.v, strict=True)) | found["constants"]
    values[found["t"]] = 0.0
    assert np.array(found["J"].subs(values), dtype=float) == pytest.approx(a.J, abs=1e-12)
    assert np.array(found["M"].subs(values), dtype=float) == pytest.approx(a.M, abs=1e-12)


def test_text_of_a_file_never_reaches_the_parser_of_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sympy

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("text was parsed")

    monkeypatch.setattr(sympy.parsing.sympy_parser, "parse_expr", refuse)
    jd.derive(jd.example("pendulum"), "minimal").sympy()
    jd.derive("dot(N - M, y_i)").sympy()


@pytest.mark.parametrize(
    ("thing", "more", "words"),
    [
        ("prismatc", {}, "nothing called 'prismatc'"),
        ("prismatic", {"level": "blocks"}, "of whole mechanisms"),
        ("prismatic", {"level": "deep"}, "expected one of vectors, components, blocks, minimal"),
        ("dot(N - M, z_q)", {}, "unknown name 'z_q'"),
        ("dot(N, x_i) * dot(M, x_j)", {}, "product of two scalar products"),
        ("dot(MN, z_i)", {"coordinates": "angle"}, "which the plane does not have"),
        (3.5, {}, "cannot derive 3.5"),
        (
            jd.example("pendulum"),
            {"coordinates": jd.Natural(cholesky=True)},
            "natural (cholesky) is natural coordinates",
        ),
    ],
)
def test_refusals(thing: Any, more: dict[str, Any], words: str) -> None:
    with pytest.raises(jd.ChoiceError, match=re.escape(words)):
        jd.derive(thing, **more)


def test_parts_of_a_mechanism() -> None:
    m = jd.example("four_bar")
    for part in ("A", "spring", "crank"):
        for level in ("vectors", "components"):
            found = jd.derive(m, level, part=part)
            assert found.title == part and found.checked.worst < ROUNDING
    assert jd.derive((m, "B")).title == "B"
    with pytest.raises(jd.ChoiceError, match="there is no part 'Z'"):
        jd.derive(m, part="Z")
