"""Checkpoints that are damaged, of something else, or crafted with a right checksum: a sentence, and nothing happened.

What can be told from what a session writes is refused. Values that a machine could have (another speed, another guess)
cannot be told; so a crafted checkpoint that is taken must give the bits of the one it was made from.
"""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from crafted_checkpoints import (
    SESSIONS,
    WRONG,
    Marked,
    all_heads,
    entries,
    marked,
    opened,
    packed,
    sealed,
)
from jourdain.kernels.layout import loops
from jourdain.session.checkpoint import CHECKSUM, HEAD, REMEMBERED

HERE = Path(__file__).resolve().parent


every_session = pytest.mark.parametrize("name", SESSIONS)


# Damaged bytes --------------------------------------------------------------------------------------------------------


@every_session
def test_flipped_bytes(name: str) -> None:
    """Wherever a bit is turned, the checksum or the beginning tells."""
    m, rng = marked(name), np.random.default_rng(7)
    places = [*range(HEAD.size), *rng.integers(0, len(m.mark), 60).tolist(), *range(-CHECKSUM, 0)]
    for place in places:
        bad = bytearray(m.mark)
        bad[place] ^= 1 << int(rng.integers(8))
        m.refuses(bytes(bad))


@every_session
def test_cut_and_prolonged(name: str) -> None:
    """Also with a checksum that is right for what is left."""
    m, rng = marked(name), np.random.default_rng(8)
    n = len(m.mark)
    for keep in (0, 1, 8, HEAD.size, HEAD.size + 1, n - 1, n - CHECKSUM, *rng.integers(0, n, 20).tolist()):
        m.refuses(m.mark[:keep])
        if HEAD.size <= keep < n - CHECKSUM:
            m.refuses(sealed(m.mark[:keep]))
    for more in (b"\0", b"\0" * 8, m.mark, bytes(1000)):
        m.refuses(m.mark + more)
        m.refuses(sealed(m.mark[:-CHECKSUM] + more), "goes on behind its last number")
        m.refuses(more + m.mark)


@pytest.mark.parametrize("wrong", [None, 5, "text", ["a"], b"", b"JDCHECK\n", bytes(200), np.zeros(4), {}])
def test_what_is_no_checkpoint_at_all(wrong: Any) -> None:
    m = marked("rk4")
    said = m.refuses(wrong)
    assert ("checkpoint" in said) and len(said) < 300


def test_bytes_like_things_are_taken() -> None:
    m = marked("rk4")
    for kind in (bytearray, memoryview):
        m.session.restore(kind(m.mark))  # type: ignore[arg-type]
        assert m.session.t == pytest.approx(0.1037)
    m.session.restore(m.here)


def test_of_another_version() -> None:
    m = marked("rk4")
    for version in (0, 1, 9, 65535):
        m.refuses(packed(*opened(m.mark), version=version), f"has version {version}; this release reads version 2")


def test_of_another_mechanism_or_other_choices() -> None:
    """Any number of the mechanism counts, and so does every choice."""
    m = marked("rk4")
    heavier = machines.four_bar("BC")
    others = [
        jd.session(jd.example("slider_crank"), integrator="rk4", step=2e-3),
        jd.session(heavier, integrator="rk4", step=2e-3),
        jd.session(jd.example("four_bar"), integrator="rk4", step=1e-3),
        jd.session(jd.example("four_bar"), integrator="rk6", step=2e-3),
        jd.session(jd.example("four_bar"), integrator="rk4", step=2e-3, coordinates="natural"),
        jd.session(jd.example("four_bar"), integrator="rk4", step=2e-3, treatment="null-space"),
        jd.session(jd.example("four_bar")),
    ]
    for other in others:
        other.advance(0.01)
        m.refuses(other.checkpoint(), "of another mechanism or of other choices; restore it in a session of the same")


def test_of_another_release_or_processor() -> None:
    m = marked("rk4")
    head, arrays = opened(m.mark)
    m.refuses(packed({**head, "code": "0" * 32}, arrays), "another release of Jourdain, with another compiler or on")


def test_another_process_has_the_same_bits(tmp_path: Path) -> None:
    """Restored there from a file, a run takes the same way."""
    m = marked("auto")
    (tmp_path / "mark").write_bytes(m.mark)
    code = f"""
import jourdain as jd
s = jd.session(jd.example("four_bar"))
s.restore(open({str(tmp_path / "mark")!r}, "rb").read())
for t in {m.times!r}: s.advance(to=t)
print(s.y.tobytes().hex())
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip().endswith(m.wanted[-1].tobytes().hex())


def test_from_before_the_exact_matrix_was_asked_for() -> None:
    """Memory that came later is taken away again."""
    s = jd.session(jd.example("four_bar"), integrator="generalized-alpha", step=2e-3)
    s.advance(0.2)
    mark = s.checkpoint()
    s.advance(0.1)
    wanted = s.y.copy()
    s.loop.provide_exact()
    s.advance(0.1)
    s.restore(mark)
    s.advance(0.1)
    assert np.array_equal(s.y, wanted)


# Crafted: the head ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rk4", "auto", "generalized-alpha", "bdf"])
def test_a_head_with_anything_anywhere(name: str) -> None:
    """Of any type, nested, missing: refused, or it makes no difference."""
    assert all_heads(marked(name)) > 250


@pytest.mark.parametrize("value", WRONG[:-1], ids=repr)
def test_a_head_that_is_something_else(value: Any) -> None:
    m = marked("rk4")
    m.refuses(packed(value, opened(m.mark)[1]))


def test_heads_that_are_no_json_or_too_deep() -> None:
    m = marked("rk4")
    arrays = opened(m.mark)[1]
    for text in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"arrays":' * 5000, b'{"arrays": 1e400}', b"1" * 5000):
        m.refuses(packed(text, arrays))
    for length in (0, 10**6, 2**32 - 1):
        bad = bytearray(m.mark[:-CHECKSUM])
        struct.pack_into("<I", bad, HEAD.size - 4, length)
        m.refuses(sealed(bytes(bad)))


def test_arrays_that_are_listed_otherwise() -> None:
    """Names, types and sizes are those of this session, each once; sizes are not believed."""
    m = marked("rk4")
    head, arrays = opened(m.mark)
    listed = entries(arrays).split(", ")
    for k, (name, kind, shape) in enumerate(entry.split(" ") for entry in listed):
        for entry in (
            *(f"{name} {kind} {wrong}" for wrong in (2**40, -1, "-1x-1", "0", f"{2**62}x4", "1.5", "", "11x", "x")),
            *(f"{name} {wrong} {shape}" for wrong in ("f4", "O", "i4", "c16", "", "M8[s]")),
            f"{name}x {kind} {shape}",
            f"{listed[k - 1].split(' ')[0]} {kind} {shape}",
            f"{name} {kind}",
            name,
        ):
            m.refuses(packed(head, arrays, listed=", ".join([*listed[:k], entry, *listed[k + 1 :]])), "where this")
        m.refuses(packed(head, arrays, listed=", ".join(listed[:k] + listed[k + 1 :])), "where this session has")
    for wrong in (False, 5, [], listed, {}, "", "x" * 10**5):
        assert len(m.refuses(packed(head, arrays, listed=wrong), "where this session has")) < 300
    m.refuses(packed(head, {**arrays, "more": np.zeros(3)}))
    for name, array in arrays.items():
        if array.size:
            m.refuses(packed(head, {**arrays, name: array.ravel()[:-1]}))
            m.refuses(packed(head, {**arrays, name: array.view(np.int64 if array.dtype == float else float)}))


def test_parts_and_numbers_that_the_mechanism_has_not() -> None:
    m = marked("auto")
    head, arrays = opened(m.mark)
    m.refuses(packed({**head, "off": ["no such joint"]}, arrays), "no such joint, which the mechanism has not")
    m.refuses(packed({**head, "numbers": {"crank.mas": 2.0}}, arrays), "did you mean")
    m.refuses(packed({**head, "numbers": {"crank.mass": -2.0}}, arrays))
    m.refuses(packed({**head, "numbers": {"crank.mass": math.nan}}, arrays), "expected a finite number")
    m.refuses(packed({**head, "numbers": {"crank.mass": "2"}}, arrays), "expected a finite number")
    # A part that could be switched off, of a state in which it was not: other sizes, or other memory.
    m.refuses(packed({**head, "numbers": {"ground.A.x": 0.5}}, arrays))


# Crafted: the numbers -------------------------------------------------------------------------------------------------


@every_session
def test_numbers_that_are_none(name: str) -> None:
    """NaN in any float array; inf in what the machine stands in."""
    m = marked(name)
    head, arrays = opened(m.mark)
    for key, array in arrays.items():
        if array.dtype == np.float64 and array.size:
            bad = array.copy()
            bad.flat[array.size // 2] = math.nan
            m.refuses(packed(head, {**arrays, key: bad}), "numbers that are none")
    for key in ("y", "now", "reference"):
        for place in range(0, arrays[key].size, 3):
            for value in (math.inf, -math.inf):
                bad = arrays[key].copy()
                bad[place] = value
                m.refuses(packed(head, {**arrays, key: bad}), "not finite")


@every_session
def test_indices_beyond_their_bounds(name: str) -> None:
    """Pivots, orders, permutations: all integers that kernels read an array with."""
    m = marked(name)
    head, arrays = opened(m.mark)
    for key, array in arrays.items():
        if array.dtype != np.int64 or key in ("counts", "words", "spent"):
            continue
        for place in np.unique(np.linspace(0, array.size - 1, 8).astype(int)) if array.size else ():
            for value in (-1, -(2**63), 10**4, 2**31, 2**62, 2**63 - 1):
                bad = array.copy()
                bad.flat[place] = value
                m.refuses(packed(head, {**arrays, key: bad}), "index in")


def test_an_order_that_bdf_has_not() -> None:
    m = marked("bdf")
    head, arrays = opened(m.mark)
    for value in (-1, 9, 100):
        m.refuses(packed(head, {**arrays, "METHOD_ORDERS": np.full_like(arrays["METHOD_ORDERS"], value)}), "index in")


def test_an_open_joint() -> None:
    """By more than 1e-6 of the size; the sentence names it."""
    m = marked("rk4")
    head, arrays = opened(m.mark)
    for size in (1e-3, 1.0, 1e12):
        for place in range(9):
            bad = arrays["y"].copy()
            bad[place] += size
            m.refuses(packed(head, {**arrays, "y": bad, "now": bad}), "open by")
    m.refuses(packed(head, {**arrays, "y": arrays["y"] + 1e-3}), "open by")


def test_a_quaternion_of_length_two() -> None:
    m = marked("quaternions")
    head, arrays = opened(m.mark)
    for scale in (0.0, 0.5, 1.001, 2.0, 1e200):
        bad = arrays["y"].copy()
        bad[3:7] *= scale
        m.refuses(packed(head, {**arrays, "y": bad, "now": bad}))


@pytest.mark.parametrize("name", ["rk4", "auto", "bdf"])
def test_clocks_that_cannot_be(name: str) -> None:
    m = marked(name)
    head, arrays = opened(m.mark)
    for value in (math.inf, -math.inf, -5.0, 1e300):
        bad = arrays["clock"].copy()
        bad[loops.T_NOW] = value
        m.refuses(packed(head, {**arrays, "clock": bad}))
    for t in (-1.0, 0.0, 0.05, 1e6):
        m.refuses(packed({**head, "t": t}, arrays))


@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "radau", "bdf"])
def test_the_end_of_the_step_ahead_is_a_state_too(integrator: str) -> None:
    """It becomes where the session stands: open joints, or a chart that is none, are refused there as well."""
    m = Marked(jd.example("four_bar"), integrator=integrator)
    head, arrays = opened(m.mark)
    m.refuses(packed(head, {**arrays, "METHOD_WORK": np.full_like(arrays["METHOD_WORK"], -1.0)}))


# In a process of its own: what would end it ---------------------------------------------------------------------------


def test_nothing_ends_the_process() -> None:
    """Every word of integers and of the head with wild values, then a run of what is taken; more in `make soak`."""
    code = f"""
import sys
sys.path[:0] = {[str(HERE), str(HERE.parent / "examples")]!r}
import crafted_checkpoints as c
for name in c.SESSIONS: c.wild(name, 20, 3)
print("alive")
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0 and "alive" in found.stdout, found.stderr[-2000:]


def test_own_checkpoints_and_foreign_ones_bring_the_same_back() -> None:
    """A session knows the checksums of its last checkpoints and does not check those again; older ones it does."""
    here = jd.session(machines.four_bar(), integrator="rk4", step=1e-3)
    here.advance(0.05)
    first = here.checkpoint()
    for _ in range(REMEMBERED):
        here.advance(1e-3)
        here.checkpoint()
    assert len(here.marks) == REMEMBERED
    assert first[-CHECKSUM:] not in here.marks
    last = here.checkpoint()
    there = jd.session(machines.four_bar(), integrator="rk4", step=1e-3)
    for mark in (last, first):
        for s in (here, there):
            s.restore(mark)
        assert here.t == there.t
        assert here.checkpoint() == there.checkpoint() == mark
