"""Gallery machines that pass singular positions, in a few of the ways that the campaign `ways` goes through."""

from __future__ import annotations

import pytest

import way_judging

WAYS = [
    ("singular_slider_crank", ("points", "kkt", "rk6")),
    ("singular_slider_crank", ("natural", "udwadia-kalaba", "newmark")),
    ("singular_slider_crank", ("angle", "null-space", "radau")),
    ("n_four_bar", ("relative", "recursion", "rk4")),
    ("n_four_bar", ("euler-parameters", "partitioning", "dopri5")),
    ("n_four_bar", ("angle", "index3", "generalized-alpha")),
    ("bricard", ("natural", "kkt", "dop853")),
    ("bricard", ("relative", "recursion", "ab6")),
]


@pytest.mark.parametrize(("machine", "way"), WAYS, ids=[f"{m} {', '.join(w)}" for m, w in WAYS])
def test_a_way_through_singular_positions_is_right(machine: str, way: tuple[str, str, str]) -> None:
    verdict, words = way_judging.judged(
        machine, dict(zip(("coordinates", "treatment", "integrator"), way, strict=True))
    )
    assert verdict == way_judging.RIGHT, words
