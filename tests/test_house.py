"""The rules of the house: who imports whom, who may reach into kernels, speak of the context, and count offsets."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import jourdain

SOURCE = Path(jourdain.__file__).parent
# Rooms that know the context, and those that may count offsets: `model` says what stands where.
KNOWING, COUNTING = ("kernels", "engine"), ("kernels", "model")
# From the bottom to the top: each imports only those before it.
ROOMS = (
    *("kernels", "mechanism", "equations", "library", "choices", "model", "engine", "files", "plotting", "results"),
    *("assembly", "session", "analysis", "derive", "modular", "studies", "live", "studio", "cli"),
)
# What of the kernels anybody may import: plain constants, and what is for those who write kernels of their own.
OPEN_TO_ALL = ("jourdain.kernels.layout", "jourdain.kernels.author")
CONTEXT = re.compile(r"ctx|load_kernels|load_recursion|[HFSCT]_[A-Z][A-Z_]*")
# What decodes a state or an output by sizes: nq + nv, y[:nq], y[nq:], out[:, nv + 1], x.reshape(bodies, -1).
OFFSETS = re.compile(
    r"\bnq\s*\+|\+\s*[\w.]*\bnq\b|\[(?:[^\[\]]*,)?\s*:?\s*[\w.]*\bnq\b|:\s*[\w.]*\bnq\b\s*[\],]"
    r"|\bnv\s*\+\s*\d|\[:,\s*:\s*[\w.]*\bnv\b|\blength - len\(|\bnz - len\(|\breshape\([\w.]*\bbodies\b"
)


def modules(but: tuple[str, ...]) -> list[Path]:
    """All of ours but those in some rooms."""
    found = [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in but]
    assert len(found) > 100
    return found


@functools.cache
def tokens_of(path: Path) -> tuple[tokenize.TokenInfo, ...]:
    return tuple(tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline))


def words_in(path: Path) -> set[str]:
    """Names of the context that a module speaks, in code."""
    return {
        token.string for token in tokens_of(path) if token.type == tokenize.NAME and CONTEXT.fullmatch(token.string)
    }


def code_lines(path: Path) -> list[str]:
    """Lines without comments and texts."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for token in tokens_of(path):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            for row in range(token.start[0] - 1, token.end[0]):
                first = token.start[1] if row == token.start[0] - 1 else 0
                last = token.end[1] if row == token.end[0] - 1 else len(lines[row])
                lines[row] = lines[row][:first] + " " * (last - first) + lines[row][last:]
    return lines


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports_of(path: Path) -> Iterator[str]:
    """Modules and members that a module imports, anywhere in it, by their whole names."""
    package = ["jourdain", *path.relative_to(SOURCE).parts[:-1]]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def texts_of(path: Path) -> Iterator[str]:
    """Texts in the code of a module, parts of longer ones too."""
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def is_within(name: str, modules: tuple[str, ...]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def test_the_linter_knows_all_rooms_and_no_exceptions() -> None:
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert layers == [[f"jourdain.{room}" for room in reversed(ROOMS)]]
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == set(ROOMS)
    assert not [contract for contract in contracts if contract.get("ignore_imports")]


def test_rooms_import_only_those_below_them() -> None:
    """As the linter says it, with imports inside functions and for types."""
    wrong = []
    for path in modules(()):
        room = path.relative_to(SOURCE).parts[0]
        for name in imports_of(path) if room in ROOMS else ():
            other = name.split(".")[1] if name.startswith("jourdain.") else ""
            if other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert not wrong


def test_kernels_are_reached_through_the_engine() -> None:
    """Neither by an import nor by name: choices name compiled functions, which the engine imports."""
    wrong = []
    for path in modules(KNOWING):
        names = [name for name in imports_of(path) if is_within(name, ("jourdain.kernels",))]
        wrong += [f"{path.relative_to(SOURCE)} imports {name}" for name in names if not is_within(name, OPEN_TO_ALL)]
        loads = any(is_within(name, ("importlib",)) for name in imports_of(path)) or "__import__" in path.read_text()
        named = any("kernels." in text for text in texts_of(path))
        if loads and (named or path.relative_to(SOURCE).parts[0] == "choices"):
            wrong.append(f"{path.relative_to(SOURCE)} imports kernels by name")
        if any(text.startswith("jourdain.kernels.") for text in texts_of(path)) and "choices" not in path.parts:
            wrong.append(f"{path.relative_to(SOURCE)} names kernels")
    assert not wrong, f"ask the engine instead: {wrong}"


def test_the_layout_needs_no_numba() -> None:
    for path in sorted((SOURCE / "kernels" / "layout").glob("*.py")):
        assert all(is_within(name, ("jourdain.kernels.layout", "typing")) for name in imports_of(path)), path


def test_the_context_is_known_to_kernels_and_engine_alone() -> None:
    speaking = {path.relative_to(SOURCE).as_posix(): sorted(words_in(path)) for path in modules(KNOWING)}
    found = {name: words for name, words in speaking.items() if words}
    assert not found, f"ask a Pose or another of engine/ instead: {found}"


def test_layouts_alone_know_offsets() -> None:
    found: dict[str, list[str]] = {}
    for path in modules(COUNTING):
        lines = [line.strip() for line in code_lines(path) if OFFSETS.search(line)]
        if lines:
            found[path.relative_to(SOURCE).as_posix()] = lines
    assert not found, f"ask model.layout or model.outputs instead: {found}"


@pytest.mark.parametrize(
    "line",
    [
        "y[: model.nq]",
        "y[model.nq :]",
        "z = y[model.nq + model.nv :]",
        "y[nq : nq + nv] = 0",
        "samples[:, model.nq : model.nq + model.nv]",
        "rates = out[:, model.nv + 1]",
        "first = model.nv + 4 + 2 * springs",
        "run.outputs[k, : run.model.nv + 2]",
        "out[:, : model.nv]",
        "first = model.length - len(model.turns)",
        "q = y.reshape(model.bodies, -1)",
    ],
)
def test_offsets_are_seen(line: str) -> None:
    assert OFFSETS.search(line)


@pytest.mark.parametrize("line", ["np.zeros((len(free), model.nv))", "rank = model.nv - idle", "y[at.v] = 0.0"])
def test_sizes_are_no_offsets(line: str) -> None:
    assert not OFFSETS.search(line)


CITED = re.compile(r"(\d+) \(([\w-]+)\)")


def test_equations_are_cited_by_the_numbers_that_the_page_gives_them() -> None:
    """Sphinx counts the equations of a page in their order; a citation says number and label."""
    page = (Path(__file__).parents[1] / "docs" / "theory.md").read_text(encoding="utf-8")
    numbers = {label: k for k, label in enumerate(re.findall(r"^:label: ([\w-]+)$", page, re.MULTILINE), 1)}
    lines = [line for path in SOURCE.rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    cited = [pair for line in lines if "Theory, eq." in line for pair in CITED.findall(line)]
    assert len(cited) > 15
    assert not [(number, label) for number, label in cited if numbers.get(label) != int(number)]


# Files of a choice bear its name, files of a kind the name it has in mechanism files.
KIND_ROOMS = {f"library/{room}" for room in ("joints", "forces", "motions", "relations", "elements")}


def may_share(paths: list[str]) -> bool:
    """A choice with its kernel, and kinds of different sections: there the name is the user's word."""
    rooms = [path.rpartition("/")[0] for path in paths]
    choice_and_kernel = sorted(room.partition("/")[0] for room in rooms) == ["choices", "kernels"]
    return choice_and_kernel or (len(set(rooms)) == len(rooms) and KIND_ROOMS.issuperset(rooms))


def test_no_two_files_have_one_name_for_different_things() -> None:
    """Names with two underscores are Python's."""
    named: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if not path.stem.startswith("__"):
            named.setdefault(path.stem, []).append(path.relative_to(SOURCE).as_posix())
    shared = {name: paths for name, paths in named.items() if len(paths) > 1}
    assert shared["rk4"] == ["choices/integrators/rk4.py", "kernels/integrators/rk4.py"]
    wrong = {name: paths for name, paths in shared.items() if not may_share(paths)}
    assert not wrong, f"say in the name what is in each: {wrong}"


@pytest.mark.parametrize(
    ("paths", "allowed"),
    [
        (["choices/treatments/x.py", "kernels/treatments/x.py"], True),
        (["library/joints/x.py", "library/relations/x.py"], True),
        (["library/joints/x.py", "plotting/x.py"], False),
        (["choices/x.py", "kernels/core/x.py", "kernels/layout/x.py"], False),
        (["kernels/core/x.py", "kernels/layout/x.py"], False),
    ],
)
def test_what_may_share_a_name(paths: list[str], allowed: bool) -> None:
    assert may_share(paths) is allowed
