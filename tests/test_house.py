"""The rules of the house that no linter knows: who may speak of the context, and who may count offsets."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

import jourdain

SOURCE = Path(jourdain.__file__).parent
# Rooms that know the context. `model` fills arrays by field, and still asks for kernels in some places.
KNOWING = ("kernels", "engine", "model")
# Who speaks of the context still, and until when. What is on this list and does not any more must leave it.
CONTEXT_WORDS_STILL = {
    "analysis/batches/patched.py": "plans of batches: with a batch in engine/",
}
OFFSETS_STILL: dict[str, str] = {}
CONTEXT = re.compile(r"ctx|load_kernels|load_recursion|[HFSCT]_[A-Z][A-Z_]*")
# What decodes a state or an output by sizes: nq + nv, y[:nq], y[nq:], out[:, nv + 1], x.reshape(bodies, -1).
OFFSETS = re.compile(
    r"\bnq\s*\+|\+\s*[\w.]*\bnq\b|\[(?:[^\[\]]*,)?\s*:?\s*[\w.]*\bnq\b|:\s*[\w.]*\bnq\b\s*[\],]"
    r"|\bnv\s*\+\s*\d|\[:,\s*:\s*[\w.]*\bnv\b|\blength - len\(|\bnz - len\(|\breshape\([\w.]*\bbodies\b"
)


def modules() -> list[Path]:
    found = [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in KNOWING]
    assert len(found) > 100
    return found


def words_in(path: Path) -> set[str]:
    """Names of the context that a module speaks, in code."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME and CONTEXT.fullmatch(token.string)}


def code_lines(path: Path) -> list[str]:
    """Lines without comments and texts."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            for row in range(token.start[0] - 1, token.end[0]):
                first = token.start[1] if row == token.start[0] - 1 else 0
                last = token.end[1] if row == token.end[0] - 1 else len(lines[row])
                lines[row] = lines[row][:first] + " " * (last - first) + lines[row][last:]
    return lines


def test_the_context_is_known_to_kernels_and_engine_alone() -> None:
    speaking = {path.relative_to(SOURCE).as_posix(): words_in(path) for path in modules()}
    new = {name: sorted(words) for name, words in speaking.items() if words and name not in CONTEXT_WORDS_STILL}
    assert not new, f"ask a Pose or another of engine/ instead: {new}"
    done = [name for name in CONTEXT_WORDS_STILL if not speaking.get(name)]
    assert not done, f"take these off the list: {done}"


def test_layouts_alone_know_offsets() -> None:
    found: dict[str, list[str]] = {}
    for path in modules():
        lines = [line.strip() for line in code_lines(path) if OFFSETS.search(line)]
        if lines:
            found[path.relative_to(SOURCE).as_posix()] = lines
    new = {name: lines for name, lines in found.items() if name not in OFFSETS_STILL}
    assert not new, f"ask model.layout or model.outputs instead: {new}"
    done = [name for name in OFFSETS_STILL if name not in found]
    assert not done, f"take these off the list: {done}"


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
