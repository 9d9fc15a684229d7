"""Makes docs/api.md: every public name with its signature and what its docstring says, by kind."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from api_examples import EXAMPLES

import jourdain as jd
import jourdain.typing as jt
from jourdain.derive.equations_of import derive
from jourdain.live.beginning import begin as live
from jourdain.session.begin import begin as session

PAGE = Path(__file__).resolve().parent / "api.md"
HEAD = """# Every public name

What `import jourdain as jd` offers, and at the end what [`jourdain.typing`](#types) names: what functions give back.
Other pages tell how things are used; this one says what takes what, made from signatures and docstrings of the code.
The examples are run by the tests, one behind the other; they begin with

```python
import jourdain as jd

m = jd.example("four_bar")
run = jd.simulate(m, 0.1)
```
"""
TYPES = """For annotations and `isinstance`: `import jourdain.typing as jt`, then `jt.Status`. The page of results and
those of the analyses tell what they are for.

```python
import jourdain.typing as jt


def last(found: jt.Record, channel: str) -> float:
    return float(found[channel][-1])


assert isinstance(run.status, jt.Status) and isinstance(run.state(), jt.State)
print(last(run, "crank.angle"))
```
"""
INSIDE = ("Definition", "Engine", "FlatModel", "Prepared", "Machine")  # what is behind things; nobody needs its methods
WIDE = 110
ROOMS = {"jourdain.session": session, "jourdain.live": live, "jourdain.derive": derive}  # that can be called


def text() -> str:
    names = [name for name in jd.__all__ if not name.startswith("_")]
    things = {name: getattr(jd, name) for name in sorted(names, key=str.lower)}
    kinds = {
        "Functions": {n: t for n, t in things.items() if not inspect.isclass(t) and callable(t)},
        "Classes": {n: t for n, t in things.items() if inspect.isclass(t) and not issubclass(t, Exception)},
        "Errors and warnings": {n: t for n, t in things.items() if inspect.isclass(t) and issubclass(t, Exception)},
    }
    rest = [name for name in things if not any(name in found for found in kinds.values())]
    parts = [HEAD, "## Values\n"]
    parts += [f"### {name}\n\nThe names are {', '.join(getattr(jd, name))}.\n\n{_example(name)}" for name in rest]
    for kind, found in kinds.items():
        parts.append(f"## {kind}\n")
        parts += [_entry(name, thing) for name, thing in found.items()]
    return _styled("\n".join([*parts, _types()]))


def _styled(text: str) -> str:
    """Blocks of Python as the house formats them."""
    command = [str(Path(sys.executable).parent / "ruff"), "format", "-q", "--stdin-filename", str(PAGE), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def _example(name: str) -> str:
    return f"```python\n{EXAMPLES[name]}\n```\n"


def _types() -> str:
    """What functions take and give back: classes with what they offer, aliases with what they stand for."""
    parts = ["## Types\n", TYPES]
    aliases = []
    for name in jt.__all__:
        thing = getattr(jt, name)
        if not inspect.isclass(thing) or not thing.__module__.startswith("jourdain"):
            aliases.append(name)
            continue
        parts.append(f"### {name}\n\n{_said(thing) if vars(thing).get('__doc__') else ''}\n")
        names = {f.name: f for f in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else {}
        rows = [f"| `{n}` | |" for n in names if not n.startswith("_")]
        rows += [f"| `{n}` | {_first(member)} |" for n, member in _methods(thing).items()]
        if rows and name not in INSIDE:
            parts += ["| | |\n|---|---|", *rows, ""]
    return "\n".join([*parts, f"Names for what arguments may be: {', '.join(f'`{name}`' for name in aliases)}.\n"])


def _entry(name: str, thing: Any) -> str:
    lines = [f"### {name}\n"]
    function = _called(thing)
    error = inspect.isclass(thing) and issubclass(thing, Exception)
    if function is not None and not error:
        lines.append(f"```text\n{_signature(name, function)}\n```\n")
    lines += [_said(thing) + "\n", _example(name)]
    methods = {} if error or not inspect.isclass(thing) else _methods(thing)
    if methods:
        lines.append("| | |\n|---|---|")
        lines += [f"| `{n}` | {_first(m)} |" for n, m in methods.items()]
        lines.append("")
    return "\n".join(lines)


def _called(thing: Any) -> Any:
    """The function that is called; of a room that can be called, that one."""
    return ROOMS[thing.__name__] if inspect.ismodule(thing) else thing


def _signature(name: str, thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"jd.{name}(...)"
    words = [_argument(p) for p in signature.parameters.values() if p.name != "self"]
    marked = _with_star(signature, words)
    one = f"jd.{name}({', '.join(marked)})"
    return one if len(one) <= WIDE else f"jd.{name}(\n    " + ",\n    ".join(marked) + ",\n)"


def _argument(p: inspect.Parameter) -> str:
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    default = "" if p.default is p.empty or star else f"={_default(p.default)}"
    return f"{star}{p.name}{default}"


def _default(value: Any) -> str:
    found = repr(value)
    return found if " at 0x" not in found and len(found) < 40 else "..."


def _with_star(signature: inspect.Signature, words: list[str]) -> list[str]:
    kinds = [p.kind for p in signature.parameters.values() if p.name != "self"]
    named = [k for k, kind in enumerate(kinds) if kind is inspect.Parameter.KEYWORD_ONLY]
    if named and inspect.Parameter.VAR_POSITIONAL not in kinds:
        words = [*words[: named[0]], "*", *words[named[0] :]]
    return words


def _said(thing: Any) -> str:
    """The docstring, paragraphs as Markdown; an example in it as code."""
    found = inspect.getdoc(_called(thing)) or ""
    blocks = re.split(r"\n\s*\n", found)
    return "\n\n".join(f"```text\n{b}\n```" if b.startswith(">>>") else re.sub(r"\s+", " ", b) for b in blocks)


def _methods(cls: type) -> dict[str, Any]:
    found = {}
    for name, member in inspect.getmembers(cls):
        own = any(name in vars(base) for base in cls.__mro__ if base.__module__.startswith("jourdain"))
        if name.startswith("_") or not own or not inspect.getdoc(member) or isinstance(member, type):
            continue
        if callable(member) or isinstance(member, property) or hasattr(member, "func"):
            found[name] = member
    return found


def _first(member: Any) -> str:
    """The first sentence."""
    found = re.sub(r"\s+", " ", inspect.getdoc(getattr(member, "func", member)) or "")
    sentence = re.split(r"(?<=[.:])\s", found)[0].rstrip(":")
    return sentence.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
