"""The page that makes a library: its files run, and what it says of signals holds."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.files import dumps
from test_types import faults

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "make-a-library.md").read_text()
BLOCKS = re.findall(r"^```yaml\n(?!# mine)(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)  # machines; a library is none


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_files_of_the_page_run(number: int) -> None:
    m = jd.load(BLOCKS[number])
    run = jd.simulate(m, 0.05)
    assert run.status.ok
    assert jd.load(dumps(m)).frozen() == m.frozen()
    named = [c for c in re.findall(r"`([a-z_]+(?:\.\w+){1,3})`", PAGE) if c.partition(".")[0] in ("left", "right")]
    if "left" in m.frozen().other_names or "left.A" in m.frozen().other_names:
        assert len(named) == 3 and all(np.all(np.isfinite(run[channel])) for channel in named)


def test_a_signal_of_the_wrong_unit() -> None:
    text = next(block for block in BLOCKS if "tachometer" in block)
    (found,) = faults(text.replace("signals: {command: {unit: V, default: 0 V}}", "signals: {command: {unit: N}}"))
    assert "command is 'tacho.voltage', a voltage; expected a force (N)" in found and "(type at <text>:" in found


def test_a_ring_of_signals() -> None:
    text = """jourdain: 1
space: planar
types:
  gain: {kind: element, signals: {input: {}}, outputs: {output: 2*input}}
bodies: {b: {mass: 1, inertia: 1}}
elements: {one: {type: gain, input: two.output}, two: {type: gain, input: one.output}}
"""
    (found,) = faults(text)
    assert "channels go in a circle, one.output -> two.output -> one.output" in found
