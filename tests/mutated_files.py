"""Mechanism files gone wrong at random: each is checked, and whatever comes of it must be a report or a sentence.

A mutant is a healthy file with one to five things changed, in its text or in its values, by a seed. `found_wrong`
checks one as `jourdain check` does, and says what may not be: a traceback, too long a time, a file written, a message
without file and line. The rest of a process (its memory, its end) is looked at by whoever runs many (soak/mutants.py).
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

import jourdain as jd
import library_cases
from broken_files import HEALTHY
from jourdain.cli import codes
from jourdain.cli.main import main
from jourdain.files import gallery
from jourdain.files.saving import dumps

LONGEST = 5.0  # s of the processor: the machine may have other things to do
STUCK = 60.0  # s of the clock
TOLD = (codes.OK, codes.FAILED, codes.FAULTY)
ODD_WORDS = """
~ null true no x 0 -1 1e308 -1e308 1e-308 5e-324 .inf -.inf .nan 1e400 0x10 0o17 1_000 1e --1 1,5 ½ ٣ mm 2*t sin(t) 1/0
1/(t-t) 9**9**9**9 2**100000 exp(1000) log(0) sqrt(-1) ( ) () a.b.c.d .. . ground ground.O ground.ground energy
__class__ {} [] *a &a !!python/object:os.system | > --- ... # ' " "\\e[31m" "\\0" "\\a" "\\ud800" "\\u202e" é 名 🦀
<script> {{7*7}} /dev/zero /dev/stdin / ../../../../etc/passwd %s%s%n t
"""
ODD_TEXTS = (
    *ODD_WORDS.split(),
    *("", " ", "1 2", "1e-9 m", "1 mm", "1 kg", "3 rpm", "1 N m/rad", "1 furlong", "1 m^99999", "1 m^-1", "90 deg"),
    *("1 °", "1 m/0", "1 1/s", "import os", "lambda: 1", "[1, 2]", "{a: 1}", "!!int 3", "%YAML 9.9", "- ", "? x", ": "),
    *("9" * 40, "9" * 400, "9" * 5000, "a" * 3000, "A" * 70000, "-" * 500 + "1", "1+" * 3000 + "1"),
    *("(" * 200 + "1" + ")" * 200, "sin(" * 60 + "t" + ")" * 60, "\t", "\x00", "\x1b[2J", "\u200b", "\ufeff"),
)
CHARACTERS = "\n\t :-[]{},&*!|>'\"%@`#?.0123456789eE+-*/()abcxyzäé\x00\x1b\x7f\u2028🦀"
NUMBERS = (0, 0.0, -0.0, 1, -1, 3, 1e-300, 1e300, 1e16, 1e-16, 1e9, 10**30, 10**400, math.inf, math.nan, True, None)


ODD_JSON = ("[]", "{}", "[[]]", "[null]", "[1, 2, 3]", "[[0, 0], [1, 1]]", '{"a": 1}', '{"type": "weld"}', '["A", "B"]')


def sources() -> dict[str, str]:
    """Healthy files by name: the gallery, one with all sections, every kind of the library in plane and space, types of
    all kinds, and machines of subsystems."""
    found = {name: Path(gallery.path(name)).read_text(encoding="utf-8") for name in gallery.example_names()}
    found["healthy"] = HEALTHY
    for dim in (2, 3):
        m = library_cases.bench(dim)
        library_cases.add_all(m, dim)
        with contextlib.suppress(jd.JourdainError):  # a mechanism with functions of Python cannot be written
            found[f"library{dim}"] = dumps(m)
    return found | _with_types() | {name: _system_of(*parts) for name, parts in SYSTEMS.items()}


def _with_types() -> dict[str, str]:
    """The files of the page on types, the library that is shipped, and a machine made of it."""
    page = (DOCS / "make-a-library.md").read_text(encoding="utf-8")
    texts = re.findall(r"^```yaml\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    library = Path(jd.__file__).parent / "libraries" / "machine-parts.yaml"
    return {f"types{n}": text for n, text in enumerate(texts)} | {
        "shipped": library.read_text(encoding="utf-8"),
        "lift": LIFT,
    }


def _system_of(first: str, second: str, joint: str, ends: str, at: str) -> str:
    """A file of two machines of the gallery, with a joint and a spring between them."""
    return SYSTEM.format(first=gallery.path(first), second=gallery.path(second), joint=joint, ends=ends, at=at)


DOCS = Path(__file__).resolve().parent.parent / "docs"
LIFT = """jourdain: 1
gravity: [0, -9.81]
library: machine-parts
parameters: {bore: 40 mm}
ground: {points: {O: [0, 0.45], P: [1, 0]}}
assemblies:
  jack: {type: cylinder, variant: oil, position: [1, 0], angle: 90 deg}
  box: {type: gearbox-stage, position: [-1, 0], angle: 30 deg}
bodies:
  arm: {mass: 5, inertia: 1, position: [0.5, 0.45], angle: 0, points: {A: [-0.5, 0], B: [0.5, 0]}}
joints:
  A: {type: bearing, variant: rubbing, between: [ground.O, arm.A], radius: bore/2}
  B: {type: bearing, variant: elastic, between: [arm.B, jack.eye]}
  C: {type: revolute, between: [ground.P, jack.base]}
forces:
  drive: {type: motor, joint: box.input_shaft, variant: electric, voltage: 12*sin(t)}
"""
SYSTEMS = {  # two machines of the gallery, a joint between them, ends of a spring, a point of the ground
    "system2": (
        *("pendulum", "double_pendulum", "{type: revolute, between: [one.bar.tip, two.upper.B]}"),
        *("[ground.W, two.lower.C]", "[0, 1]"),
    ),
    "system3": (
        *("heavy_top", "rolling_disc", "{type: spherical, between: [one.top.tip, two.coin.C]}"),
        *("[one.top.tip, two.coin.rim]", "[0, 1, 0]"),
    ),
}
SYSTEM = """jourdain: 1
name: two of them
parameters: {{k: 300 N/m}}
subsystems:
  one: {{path: {first}, simulate: {{integrator: rk4, step: 1 ms}}}}
  two: {{path: {second}}}
ground: {{points: {{W: {at}}}}}
joints:
  J: {joint}
forces:
  S: {{type: spring-damper, between: {ends}, stiffness: k, damping: 2, length: 1 m}}
simulate: {{duration: 10 ms, coupling: extended, macro_step: 10 ms}}
"""


# Changes of values -----------------------------------------------------------------------------------------------


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """All places in a tree of dicts and lists: the owner, and the key or index."""
    found: list[tuple[Any, Any]] = []
    stack = [tree]
    while stack:
        owner = stack.pop()
        for key, value in list(owner.items()) if isinstance(owner, dict) else list(enumerate(owner)):
            found.append((owner, key))
            if isinstance(value, dict | list):
                stack.append(value)
    return found


def _odd(rng: random.Random, tree: Any) -> Any:
    """A value from anywhere."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return rng.choice(ODD_TEXTS)
    if kind == 2:
        owner, key = rng.choice(_places(tree))
        return json.loads(json.dumps(owner[key])) if rng.random() < 0.5 else str(key)
    if kind == 3:
        return rng.choice(
            ([], {}, [[]], [None], [1, 2, 3], [[0, 0], [1, 1]], {"a": 1}, {"type": "revolute"}, ["A", "B"])
        )
    if kind == 4:
        return rng.uniform(-10, 10) * 10.0 ** rng.randint(-20, 20)
    return f"{rng.choice(ODD_TEXTS)} {rng.choice('+-*/,.')} {rng.choice(ODD_TEXTS)}"


def _exchange(rng: random.Random, tree: Any) -> None:
    owner, key = rng.choice(_places(tree))
    owner[key] = _odd(rng, tree)


def _drop(rng: random.Random, tree: Any) -> None:
    owner, key = rng.choice(_places(tree))
    del owner[key]


def _rename(rng: random.Random, tree: Any) -> None:
    places = [place for place in _places(tree) if isinstance(place[0], dict)]
    owner, key = rng.choice(places)
    word = str(key)
    at = rng.randrange(len(word) + 1)
    near = word[:at] + rng.choice("xyz_ 0.é") + word[at + rng.randrange(2) :]
    owner[rng.choice((near, near, str(rng.choice(places)[1]), rng.choice(ODD_TEXTS)))] = owner.pop(key)


def _scale(rng: random.Random, tree: Any) -> None:
    numbers = [(o, k) for o, k in _places(tree) if isinstance(o[k], int | float) and not isinstance(o[k], bool)]
    if numbers:
        owner, key = rng.choice(numbers)
        owner[key] = owner[key] * rng.choice((-1, 0, 1e-9, 1e9, 1e-200, 1e200, 1.1, 2))


def _swap(rng: random.Random, tree: Any) -> None:
    (one, a), (other, b) = rng.choice(_places(tree)), rng.choice(_places(tree))
    first, second = json.dumps(one[a]), json.dumps(other[b])
    one[a], other[b] = json.loads(second), json.loads(first)


def _repeat(rng: random.Random, tree: Any) -> None:
    """A part again and again under other names."""
    mappings = [(o, k) for o, k in _places(tree) if isinstance(o, dict) and isinstance(o[k], dict)]
    if mappings:
        owner, key = rng.choice(mappings)
        for n in range(rng.choice((1, 2, 10, 40))):
            owner[f"{key}_{n}"] = json.loads(json.dumps(owner[key]))


def _include(rng: random.Random, tree: Any) -> None:
    paths = (
        "mutant.yaml",
        "/dev/zero",
        ".",
        "nowhere.yaml",
        "",
        str(gallery.path("four_bar")),
        "/proc/self/mem",
        "\x00",
    )
    tree["include"] = [{"path": rng.choice(paths), "prefix": rng.choice(("a_", "", "1", "ä", 3))}]


VALUES: tuple[Callable[[random.Random, Any], None], ...] = (
    *(_exchange, _exchange, _exchange, _drop, _rename, _scale, _scale, _swap, _repeat, _include),
)


# Changes of text -------------------------------------------------------------------------------------------------


def _text_change(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    k, at = rng.randrange(len(lines)), rng.randrange(len(text) + 1)
    kind = rng.randrange(9)
    if kind == 0:
        return text[:at]
    if kind == 1:
        return text[:at] + "".join(rng.choice(CHARACTERS) for _ in range(rng.choice((1, 1, 3, 20)))) + text[at:]
    if kind == 2:
        return text[:at] + text[at + rng.choice((1, 2, 10, 100)) :]
    if kind == 3:
        lines[k] = " " * rng.randrange(5) + lines[k].strip()
    elif kind == 4:
        lines.insert(rng.randrange(len(lines)), lines[k])
    elif kind == 5:
        del lines[k]
    elif kind == 6:
        lines[k] = re.sub(r"(?<=: ).*", lambda _: rng.choice(ODD_TEXTS), lines[k], count=1)
    elif kind == 7:
        lines[k] = re.sub(r"-?\d+\.?\d*", lambda found: f"{found[0]}{rng.choice(ODD_TEXTS)}", lines[k], count=1)
    else:
        lines.insert(k, " " * rng.randrange(5) + rng.choice(ODD_TEXTS))
    return "\n".join(lines)


def mutant(seed: int, healthy: dict[str, str]) -> str:
    """The file of a seed."""
    rng = random.Random(seed)
    text = healthy[rng.choice(sorted(healthy))]
    changes = rng.choice((1, 1, 1, 2, 3, 5))
    if rng.random() < 0.7:
        tree = yaml.safe_load(text)
        for _ in range(changes):
            if _places(tree):
                rng.choice(VALUES)(rng, tree)
        text = yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)
        changes = rng.choice((0, 0, 0, 1))
    for _ in range(changes):
        text = _text_change(rng, text)
    return text


# What comes of it ------------------------------------------------------------------------------------------------


class TooLongError(BaseException):
    """Not an Exception: nobody on the way may take it for his own."""


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def found_wrong(text: str, folder: Path) -> str:
    """What may not come of a file, if anything did; the folder holds nothing else."""
    path = folder / "mutant.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    before = os.getcwd()
    os.chdir(folder)
    words = ""
    try:
        for _ in range(2):  # the first may have had to compile something
            begun = time.process_time()
            out, err = io.StringIO(), io.StringIO()
            try:
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _limit(STUCK):
                    code = main(["check", "mutant.yaml"])
                words = _complaint(code, err.getvalue(), out.getvalue())
            except TooLongError:
                words = f"was not done after {STUCK:g} s"
            except BaseException as error:  # noqa: BLE001  (whatever passes through is what is looked for)
                words = f"traceback: {type(error).__name__}: {error}"
            seconds = time.process_time() - begun
            if seconds < LONGEST:
                break
            words = words or f"took {seconds:.1f} s"
    finally:
        os.chdir(before)
    if written := [found.name for found in folder.iterdir() if found != path]:
        words = words or f"wrote {', '.join(written)}"
    return words


def _complaint(code: int, err: str, out: str) -> str:
    if code not in TOLD:
        return f"ended with {code}: {err.strip()[-300:]}"
    if any(one in err + out for one in ("Traceback", "\x1b", " object at 0x")):
        return f"a traceback, an escape or an address in the output: {err[-300:]!r}"
    if code == codes.OK:
        return ""
    said = [line for line in err.splitlines() if line.strip() and not line.startswith("jourdain: compil")]
    if not said:
        return f"ended with {code} without a word"
    if not any(re.search(r"\S:\d+:\d+( \(type at [^)]+:\d+:\d+\))?: \S", line) for line in said):
        return f"no file and line: {err.strip()[:300]}"
    return ""


def survey(seeds: range, folder: Path) -> list[tuple[int, str]]:
    """All seeds of a range, one after the other: those that something is wrong with."""
    healthy = sources()
    wrong = []
    for seed in seeds:
        if words := found_wrong(mutant(seed, healthy), folder):
            wrong.append((seed, words))
            sys.stdout.write(f"{seed}: {words}\n")
            sys.stdout.flush()
    return wrong
