"""What derive prints is true: printed lines evaluated, lines broken on purpose, formulas of every sort, long pages."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.choices import COORDINATES
from jourdain.derive import set_lines, treatment_lines
from jourdain.derive.broken import LATEX, TEXT, lines_of
from jourdain.derive.grid import Grid
from jourdain.derive.ink import Relation, Symbol
from jourdain.derive.kernel_check import DerivationError, random_states
from jourdain.derive.line_values import read, value
from jourdain.derive.set_check import check_set
from jourdain.derive.sheet import Line, Sheet
from jourdain.derive.tidy import Tidy
from jourdain.derive.treatment_check import check_treatment
from jourdain.derive.trial import trial_of
from jourdain.derive.written_names import Names, given_ink
from jourdain.equations.formula import Formula, apply, leaf, number

THEORY = Path(__file__).parent.parent / "docs" / "theory.md"


def lines_in(document: Sheet) -> list[Line]:
    return [item for section in document.sections for item in section.items if isinstance(item, Line)]


# What is printed is what is checked ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "coordinates"),
    [
        ("four_bar", "angle"),
        ("four_bar", "relative"),
        ("slider_crank", "natural"),
        ("double_pendulum", "points"),
        ("rssr", "bryan"),
        ("heavy_top", "euler-parameters"),
    ],
)
def test_printed_components_have_the_numbers_of_the_kernel(name: str, coordinates: str) -> None:
    """Read back from the page: abbreviations, rows, masses, bias and forces."""
    found = jd.derive(jd.example(name), "components", coordinates)
    machine = found.source()  # type: ignore[misc]
    e, names = machine.evaluator, Names(machine.evaluator)
    at = e.model.layout
    for t, y in random_states(e, 3):
        kernel = e.of(t, y)
        known: dict[str, Any] = {given_ink(n).text(): v for n, v in machine.given.values.items()}
        known |= {"t": t} | {ink.text(): x for ink, x in zip(names.q, y[at.q], strict=True)}
        known |= {ink.text(): x for ink, x in zip(names.v, y[at.v], strict=True)}
        given = set(known)
        for line in lines_in(found.document):  # forces of several parts have the same names
            head = line.ink.left.text()  # type: ignore[attr-defined]
            if head.startswith("Q_"):
                known[f"{head} of"] = known.get(f"{head} of", 0.0) + value(line.ink.right, known)  # type: ignore[attr-defined]
            else:
                read([line.ink], known)
        plain = {key: x for key, x in known.items() if key not in given}
        columns = [names.q_or_v(n).text() for n in range(e.model.nv)]
        for k in range(len(kernel.J)):
            assert plain[f"C_{k + 1}"] == pytest.approx(kernel.C[k], abs=1e-10)
            assert plain[f"γ_{k + 1}"] == pytest.approx(kernel.gamma[k], abs=1e-9)
            row = [plain.get(f"J_{k + 1},{column}", 0.0) for column in columns]
            assert row == pytest.approx(kernel.J[k], abs=1e-10)
        assert [plain.get(f"bias_{c}", 0.0) for c in columns] == pytest.approx(kernel.bias, abs=1e-9)
        Q = [plain.get(f"Q_{c} of", 0.0) for c in columns]
        assert pytest.approx(kernel.Q, abs=1e-9 * max(1.0, np.max(np.abs(kernel.Q)))) == Q


@pytest.mark.parametrize("name", [n for n in treatment_lines.LINES if n not in ("penalty",)])
def test_a_wrong_line_of_a_treatment_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = treatment_lines.LINES[name]
    free = ("C = 0", "rho_j = w K_jj^-1", "R = [- J_d^-1 J_i; 1]")  # true of any, a choice, true of any multiple
    for k, (text, source) in enumerate(lines):
        left, right = text.split(" = ", 1)
        if text in free or right == "0":
            continue
        wrong = [*lines[:k], (f"{left} = 2 ({right})", source), *lines[k + 1 :]]
        monkeypatch.setitem(treatment_lines.LINES, name, wrong)
        with pytest.raises((DerivationError, np.linalg.LinAlgError)):
            check_treatment(name, 2)


def test_a_wrong_line_of_a_coordinate_set_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for s in (COORDINATES["planar"][n] for n in ("angle", "natural", "points", "relative", "euler-parameters")):
        broken_lines_are_noticed(s, set_lines._LINES, s.name, monkeypatch)
    for name in ("quaternion", "natural in space", "euler-parameters"):
        s = COORDINATES["spatial"][name.removesuffix(" in space")]
        broken_lines_are_noticed(s, set_lines._LINES, name, monkeypatch)
    whole = {"euler": set_lines._EULER}
    s = COORDINATES["spatial"]["euler-zxz-fixed"]
    for k, (text, source) in enumerate(whole["euler"]):
        left, right = text.split(" = ", 1)
        wrong = [*whole["euler"][:k], (f"{left} = 2 ({right})", source), *whole["euler"][k + 1 :]]
        monkeypatch.setattr(set_lines, "_EULER", wrong)
        with pytest.raises(DerivationError):
            check_set(s, trial_of("spherical", 3))


def broken_lines_are_noticed(s: Any, table: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    b, lines = trial_of("spherical" if s.dim == 3 else "revolute", s.dim), table[name]
    check_set(s, b)
    for k, (text, source) in enumerate(lines):
        left, right = text.split(" = ", 1)
        if right != "0":
            monkeypatch.setitem(table, name, [*lines[:k], (f"{left} = 2 ({right})", source), *lines[k + 1 :]])
            with pytest.raises(DerivationError):
                check_set(s, b)
    monkeypatch.setitem(table, name, lines)


def test_sources_are_equations_of_the_theory_page() -> None:
    labels = set(re.findall(r":label: (\S+)", THEORY.read_text(encoding="utf-8")))
    m = jd.example("four_bar")
    things = [jd.derive(m), jd.derive(m, "components"), jd.derive(m, "minimal"), jd.derive("gear"), jd.derive("bryan")]
    things += [jd.derive(name) for name in ("prismatic", "kkt", "rolling-disc", "spring-damper")]
    for found in things:
        for line in lines_in(found.document):
            for label in re.findall(r"theory, ([\w-]+)", line.source):
                assert label in labels, line.source


def test_tidied_formulas_have_the_same_values() -> None:
    rng = np.random.default_rng(4)
    leaves = [leaf(("q", k)) for k in range(3)]
    for _ in range(200):
        f: Any = number(float(rng.integers(-2, 3)))
        for _ in range(12):
            other: Formula = leaves[int(rng.integers(3))]
            other = apply(("sin", "cos")[int(rng.integers(2))], other) if rng.random() < 0.6 else other
            step = int(rng.integers(5))
            f = (f + other, f - other, f * other, -f, f + other * other * 2.0)[step]
        f = f + f * f if f.op != "const" else f + leaves[0]
        q = rng.normal(size=3)
        before = f(0.0, lambda key, q=q: q[key[1]])
        assert Tidy([f])(f)(0.0, lambda key, q=q: q[key[1]]) == pytest.approx(before, rel=1e-11, abs=1e-11)
    s, c = apply("sin", leaves[0]), apply("cos", leaves[0])
    squares = leaves[1] * s * s * 3.0 + 3.0 * c * leaves[1] * c
    assert Tidy([squares])(squares) == 3.0 * leaves[1]


# Formulas of every sort ----------------------------------------------------------------------------------------------


def bar(parameters: dict[str, float] | None = None) -> Any:
    m = jd.Mechanism("bar", gravity=(0, -9.81))
    for name, number_of in (parameters or {}).items():
        m.parameter(name, number_of)
    body = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
    m.revolute("J", m.ground.point("O", (0, 0)), body["A"])
    return m, body


def functions_of(found: Any) -> dict[str, Any]:
    functions: dict[str, Any] = {}
    exec(compile(found.python(), "derived", "exec"), functions)
    return functions


def forces_in_c(found: Any, folder: Path) -> Any:
    """Q of the code in C, compiled without a warning."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "derived.c").write_text(found.c())
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    target = folder / "derived.so"
    subprocess.run([compiler, *flags, str(folder / "derived.c"), "-o", str(target), "-lm"], check=True)
    library = ctypes.CDLL(str(target))
    pointer = ctypes.POINTER(ctypes.c_double)

    def Q(q: Any, v: Any, t: float, z: Any) -> Any:
        q, v, z = (np.ascontiguousarray(x, dtype=float) for x in (q, v, np.append(z, 0.0)))
        out = np.empty(len(v))
        given = [x.ctypes.data_as(pointer) for x in (q, v)]
        library.Q(*given, ctypes.c_double(t), z.ctypes.data_as(pointer), out.ctypes.data_as(pointer))
        return out

    return Q


PROFILES = (
    "where(bar.x > 0 and bar.y < 1, 1 + t, bar.x)", "piecewise(bar.x, 0, bar.y, 2)", "mod(J.angle, 1)",
    "clip(bar.x, -0.3, 0.3)", "step(bar.x, 0)", "ramp(bar.x, 0, 1)", "trapezoid(t, 0, 0.4, 1, 2)",
    "cycloid(bar.x, 0, 1)", "poly345(t, 0, 1)", "modified_sine(t, 0, 1)", "modified_trapezoid(t, 0, 2)",
    "gas(J.angle)", "held(bar.x)", "round(J.angle)",
)  # fmt: skip


def test_profiles_and_tables_are_written_down(tmp_path: Path) -> None:
    m, body = bar()
    x = [-40.0, -1.0, 0.0, 1.0, 40.0]
    m.table("gas", jd.Table(x, [0, 1, 3, 5, 4], kind="spline"))
    m.table("held", jd.Table([-0.2, 0, 0.3], [0, 1, 3], kind="smooth", outside="hold"))
    m.table("round", jd.Table([0, 1, 2, 6], [0, 1, 3, 0], kind="linear", periodic=6))
    for k, formula in enumerate(PROFILES):
        m.force(f"F{k}", on=body["B"], vector=(formula, "0"))
    found = jd.derive(m)
    assert found.checked.worst < 1e-11 and not found.checked.left_out
    machine = found.source()  # type: ignore[misc]
    at = machine.evaluator.model.layout
    Q, in_python = forces_in_c(found, tmp_path), functions_of(found)["Q"]
    for t, y in random_states(machine.evaluator, 5):
        given = y[at.q], y[at.v], t, y[at.motion.stop :]
        assert Q(*given) == pytest.approx(in_python(*given), abs=1e-12)
    text = jd.derive(m, part="F7").markdown()
    assert "cycloid(" in text  # by its name, not by what it is made of


@pytest.mark.parametrize("law", ["cycloid(t, 0, 1)", "modified_sine(t, 0.2, 1.7)", "poly4567(t, 0, 2) + 0.1*t"])
def test_driven_joints_with_cam_laws(law: str) -> None:
    m, _ = bar()
    m.motion("drive", joint="J", angle=law)
    for coordinates in ("angle", "natural"):
        assert jd.derive(m, coordinates=coordinates).checked.left_out == ()
    assert law.split("(")[0] in jd.derive(m, part="drive").markdown()


def test_rows_that_cannot_be_written_down_are_told() -> None:
    m, _ = bar()
    m.motion("drive", joint="J", angle=jd_function)
    found = jd.derive(m)
    assert found.checked.left_out and "drive" in found.markdown()
    with pytest.raises(NotImplementedError, match="drive"):
        functions_of(found)["rhs"](0.0, functions_of(found)["START"])


def jd_function(t: Any) -> Any:
    return (0.1 if t > 0.5 else 0.2) * t  # branches, so that it cannot be traced


def test_no_name_of_a_parameter_hides_what_code_is_made_of(tmp_path: Path) -> None:
    words = "max min len round START C_t rates sign table turn_factor a1 out Q wind _step double N x table_0 own_a1"
    names = [*words.split(), "gamma", "math", "range", "zip", "order"]
    m, body = bar({name: 0.5 + 0.1 * k for k, name in enumerate(names)})
    total = " + ".join(names)
    m.force("F", on=body["B"], vector=(f"({total})*min(bar.x, 0.1)*sign(bar.y) + max(abs(bar.vx), a1)", "0"))
    found = jd.derive(m)
    functions = functions_of(found)
    assert np.all(np.isfinite(functions["rhs"](0.3, functions["START"])))
    forces_in_c(found, tmp_path)


def test_a_system_is_the_mechanism_it_stands_for() -> None:
    m, _ = bar()
    system = jd.System("pair")
    system.subsystem("a", m, ports=["bar.B"])
    assert jd.derive(system).checked.worst < 1e-11


# Pages ---------------------------------------------------------------------------------------------------------------


def test_long_lines_are_broken() -> None:
    for name, level in (("quick_return", "components"), ("rssr", "components"), ("jansen_leg", "blocks")):
        for coordinates in (None, "relative"):
            text = jd.derive(jd.example(name), level, coordinates).markdown()
            widest = max((line for line in text.splitlines() if " = " in line), key=len)
            assert len(widest.split("   (")[0]) < 135, widest
    sum_of = Symbol("a")
    for k in range(40):
        sum_of = sum_of if k == 0 else added_to(sum_of, k)
    line = Relation(Symbol("b"), sum_of)
    for form in (TEXT, LATEX):
        pieces = lines_of(line, form, 60)
        assert len(pieces) > 3
    joined = " ".join(lines_of(line, TEXT, 60))
    assert joined == line.text()


def added_to(ink: Any, k: int) -> Any:
    from jourdain.derive.ink import added, multiplied

    return added([(1, Symbol("x", str(k))), (-1, multiplied(Symbol("y", str(k)), ink))])


@pytest.mark.parametrize("bodies", [1, 10, 60, 300])
def test_pictures_of_matrices_of_any_size(bodies: int) -> None:
    cells = ["".join("M" if c == r else "." for c in range(bodies)) for r in range(bodies)]
    cells += ["".join("#" if c in (r, r - 1) else "." for c in range(bodies)) for r in range(bodies)]
    names = tuple(f"body<{k}>" for k in range(bodies))
    grid = Grid((*names, *(f"j_{k}" for k in range(bodies))), names, tuple(cells))
    text = grid.text()
    assert max(map(len, text)) < 130
    assert "#" in "".join(text) and "M" in "".join(text)
    svg = grid.svg()
    assert svg.count("<rect") >= bodies and "body<" not in svg
    tex = grid.latex()
    assert tex.count("{") == tex.count("}") and "j_0" not in tex.replace(r"j\_0", "")


def test_pages_fit(tmp_path: Path) -> None:
    """No line of a page is wider than it, and ten bodies are on two pages."""
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex: install texlive-latex-recommended to try the LaTeX output")
    found = {"chain": jd.derive(jd.example("hanging_chain")), "bar": jd.derive(jd.example("four_bar"), "minimal")}
    found["relative"] = jd.derive(jd.example("quick_return"), "components", "relative")
    for name, one in found.items():
        (tmp_path / f"{name}.tex").write_text(one.latex(), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
        assert "Overfull" not in done.stdout, name
        if name == "chain":
            assert "(2 pages" in done.stdout


@pytest.mark.parametrize(
    ("thing", "more", "words"),
    [
        ("natural", {"level": "minimal"}, "of whole mechanisms"),
        ("natural", {"coordinates": "angle"}, "a coordinate set itself"),
        ("uzawa", {"level": "blocks"}, "leave these out"),
        ("four_bar", {"budget": 0}, "more than none"),
        ("four_bar", {"budget": "long"}, "more than none"),
        ("four_bar", {"treatment": "uzawa", "level": "components"}, "blocks do"),
        ("four_bar", {"treatment": "uzawa", "coordinates": "relative"}, "solved by recursion"),
        ("four_bar", {"treatment": "recursion", "coordinates": "natural"}, "goes with coordinates 'relative'"),
    ],
)
def test_refusals(thing: str, more: dict[str, Any], words: str) -> None:
    given: Any = jd.example(thing) if thing == "four_bar" else thing
    with pytest.raises(jd.ChoiceError, match=re.escape(words)):
        jd.derive(given, **more)
