"""The surface: what is typed, exported, and made of the same definitions as files and documentation."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
import jourdain.choices
import jourdain.typing as jt
from jourdain.derive.equations_of import derive
from jourdain.library import TYPES
from jourdain.library.joints import KINDS
from jourdain.live.beginning import begin as live
from jourdain.session.begin import begin as session

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {"live": live, "session": session, "derive": derive}  # rooms that can be called
# Of Python and of NumPy, and what names arrays of numbers.
KNOWN = {"Any", "Array", "Callable", "Collection", "Executor", "Iterable", "Iterator", "Literal", "Mapping", "None"}
KNOWN |= {"Stopped", "Whole", "NDArray", "Path", "Sequence", "Unpack", "True", "False"}


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function, and every method and property with a docstring of every public class."""
    for name in [*jd.__all__, *jt.__all__]:
        thing = ROOMS.get(name) or getattr(jd if name in jd.__all__ else jt, name)
        if inspect.isclass(thing) and "jourdain" in thing.__module__:
            for inner, member in inspect.getmembers(thing):
                found = member.fget if isinstance(member, property) else getattr(member, "func", member)
                routine = inspect.isfunction(found) or inspect.ismethod(found)
                if routine and not inner.startswith("_") and inspect.getdoc(found):
                    yield f"{name}.{inner}", found
        elif inspect.isfunction(thing):
            yield name, thing


def test_types_of_public_signatures_are_exported() -> None:
    exported = {*jd.__all__, *jt.__all__, *jourdain.choices.__all__} | KNOWN
    missing = set()
    for owner, function in public():
        if function.__module__.startswith(("jourdain.choices", "jourdain.engine", "jourdain.model")):
            continue  # for those who write choices of their own, and what is behind a run
        if owner.partition(".")[0] in ("Definition", "Prepared", "Engine", "FlatModel", "Machine"):
            continue
        signature = inspect.signature(function)
        annotations = [p.annotation for p in signature.parameters.values()] + [signature.return_annotation]
        for text in map(str, annotations):
            names = re.findall(r"\b[A-Z]\w*", re.sub(r"'[^']*'|\"[^\"]*\"|<[^>]*>", "", text))
            missing |= {f"{name}: {owner}" for name in names if name not in exported and len(name) > 1}
    assert not missing, sorted(missing)


def test_no_public_function_takes_any_keyword() -> None:
    wrong = [
        owner
        for owner, function in public()
        for p in inspect.signature(function, follow_wrapped=True).parameters.values()
        if p.kind is p.VAR_KEYWORD
        and "Unpack" not in str(p.annotation)
        and str(p.annotation) not in ("PartValue", "Amount")
        if owner.partition(".")[0] not in ("Machine", "Definition", "Prepared", "Engine", "FlatModel")
    ]
    assert not wrong


def test_methods_and_their_keys_are_those_of_the_library() -> None:
    for path, text in runpy.run_path(str(ROOT / "docs" / "make_part_methods.py"))["texts"]().items():
        assert path.read_text(encoding="utf-8") == text, "run python docs/make_part_methods.py"


@pytest.mark.parametrize("kind", [*KINDS, *TYPES.values()], ids=lambda kind: kind.name)
def test_a_method_shows_the_keys_of_files(kind: Any) -> None:
    method = getattr(jd.Mechanism, kind.name.replace("-", "_"))
    shown = set(inspect.signature(method).parameters)
    assert set(kind.keys) - {"between"} <= shown
    assert not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(method).parameters.values()) or kind.name in (
        "screw",
    )


WRONG = """
import jourdain as jd
import jourdain.typing as jt
m = jd.Mechanism("m")
m.friction("F", joint="A", coefficent=0.1)
m.rolling_disc("D", m.ground["A"], m.ground["B"])
m.line_load("L", m.ground["A"], m.ground["B"], vector=(0, 1), axes="fixd")
jd.simulate(m, 1, integrater="rk4")
x: str = jd.simulate(m)["a.x"]
jd.session(m, rtoll=1e-9)
jt.Statuss
"""


@pytest.mark.slow
def test_a_users_script_is_strict(tmp_path: Path) -> None:
    """And what is wrong in one is found: each line of `WRONG` has a mistake."""
    (tmp_path / "wrong.py").write_text(WRONG)
    found = strict("tests/user_script.py", str(tmp_path / "wrong.py"))
    lines = re.findall(r"wrong\.py:(\d+)", found)
    assert set(map(int, lines)) == {5, 6, 7, 8, 9, 10, 11}, found
    assert "user_script.py" not in found, found


def strict(*files: str) -> str:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file="]
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "strict"), *files]
    environment = {**os.environ, "MYPYPATH": str(Path(jd.__file__).parents[1])}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True).stdout


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(jd.__file__).parent / "py.typed").exists()
    assert set(jt.__all__) == {name for name in dir(jt) if not name.startswith("_")}
    for name in jt.__all__:
        assert getattr(jt, name) is not None


def test_an_old_name_works_on_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from jourdain.mechanism import renamed

    monkeypatch.setitem(renamed.NAMES, "Gluer", ("Baumgarte", "0.2"))
    with pytest.warns(DeprecationWarning, match=r"jd\.Gluer is jd\.Baumgarte since Jourdain 0\.2") as told:
        assert jd.Gluer is jd.Baumgarte
    assert told[0].filename == __file__
    with pytest.raises(AttributeError, match="no attribute 'Glueer'"):
        jd.Glueer  # noqa: B018


def test_a_status_was_a_text_once() -> None:
    status = jt.Status(True, "completed to t = 1 s")
    with pytest.warns(DeprecationWarning, match=r"status\.sentence"):
        assert "completed" in status


ALL = """
import sys
import jourdain as jd
assert "numpy" not in sys.modules
m = jd.example("four_bar")
run = jd.simulate(m, 0.1)
jd.check(m), jd.assemble(m), jd.statics(m), jd.modes(m), jd.linearise(m), jd.graph(m), jd.matrices(m)
jd.branches(m, {"crank.angle": "-40 deg"})
jd.kinematics(m, "A", from_="-45 deg", to="-20 deg"), jd.inverse_dynamics(m, {"A": "-pi/4 + t"}, duration=0.1)
jd.simulate_many(m, 0.1, {"k": [1.0, 2.0]}), jd.sensitivity(m, ["k"], ["A.load"], 0.1), jd.equilibria(m, "k", [100.0])
jd.compare(m, 0.05, coordinates=["angle"], treatments=["kkt"], integrators=["dopri5"]), jd.derive("prismatic")
jd.study(m, 0.1, vary={"k": [1, 2]}, collect="max(A.load)")
str(m), repr(m), run.summary(), run.maxima(), str(run.state())
print([name for name in ("matplotlib", "pandas", "xarray", "sympy", "IPython") if name in sys.modules])
"""


@pytest.mark.slow
def test_no_analysis_imports_what_only_some_ask_for() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "[]", done.stderr
