"""Formulas with commas that YAML takes apart: told once, with the line as it should be."""

from __future__ import annotations

import pytest

import jourdain as jd

FILE = """
jourdain: 1
space: planar
parameters: {low: 1}
ground: {points: {O: [0, 0]}}
bodies: {bar: {mass: 1, inertia: 1, position: [0, 0], angle: 0, points: {A: [0, 0]}}}
joints: {A: {type: revolute, between: [ground.O, bar.A]}}
motions: {drive: {joint: A, speed: 1}}
"""


def said(old: str, new: str) -> str:
    with pytest.raises(jd.FileError) as found:
        jd.load(FILE.replace(old, new))
    return str(found.value)


def test_a_comma_between_braces_is_told_once() -> None:
    words = said("speed: 1}", "speed: 0.15*trapezoid(t, 0, 0.5, 2, 2.5)}")
    assert "has 1 fault" in words
    assert 'write it in quotes, speed: "0.15*trapezoid(t, 0, 0.5, 2, 2.5)"' in words
    assert jd.load(FILE.replace("speed: 1}", 'speed: "0.15*trapezoid(t, 0, 0.5, 2, 2.5)"}'))


def test_numbers_that_stand_twice_and_keys_behind_are_kept() -> None:
    words = said("joint: A, speed: 1}", "speed: max(t, 0, 0, low), joint: A}")
    assert "has 1 fault" in words and 'speed: "max(t, 0, 0, low)"' in words


def test_parameters_and_names() -> None:
    words = said("{low: 1}", "{low: min(1, 2), high: 3}")
    assert "has 1 fault" in words and 'low: "min(1, 2)"' in words


def test_what_is_never_closed_is_what_it_was() -> None:
    words = said("speed: 1}", "speed: max(t, 0, 1}")
    assert "'max(t' cannot be read as a formula" in words and "unknown key '0'" in words


def test_keys_without_values_in_lines_are_left_alone() -> None:
    words = said(
        "motions: {drive: {joint: A, speed: 1}}", "motions:\n  drive:\n    joint: A\n    speed: max(t\n    t):\n"
    )
    assert "unknown key 't)'" in words
