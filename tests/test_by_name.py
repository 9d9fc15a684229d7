"""Analyses take a mechanism, the path of its file, its text, or the name of an example."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.files.gallery import path


def test_all_of_these_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = jd.simulate(jd.example("four_bar"), 0.1)["A.load"]
    for name in ("four_bar", path("four_bar"), str(path("four_bar")), path("four_bar").read_text(encoding="utf-8")):
        assert np.array_equal(jd.simulate(name, 0.1)["A.load"], expected)
    monkeypatch.chdir(tmp_path)
    changed = path("four_bar").read_text(encoding="utf-8").replace("mass: 3 kg", "mass: 4 kg")
    Path("four_bar").write_text(changed, encoding="utf-8")  # a file comes before an example
    assert not np.array_equal(jd.simulate("four_bar", 0.1)["A.load"], expected)


def test_every_analysis_takes_a_name() -> None:
    m = jd.example("four_bar")
    assert str(jd.check("four_bar")) == str(jd.check(m))
    assert jd.assemble("four_bar") == jd.assemble(m)
    assert jd.modes("four_bar") == jd.modes(m)
    assert jd.statics("four_bar") == jd.statics(m)
    assert jd.matrices("four_bar") == jd.matrices(m)
    assert jd.linearise("four_bar") == jd.linearise(m)
    assert str(jd.graph("four_bar")) == str(jd.graph(m))
    assert np.array_equal(jd.rhs("four_bar").start, jd.rhs(m).start)
    assert jd.session("four_bar").advance(to=0.01).ok
    assert jd.simulate_many("four_bar", 0.1, {"k": [1.0, 2.0]}).ok.all()
    assert jd.sensitivity("four_bar", ["k"], ["A.load"], 0.1) == jd.sensitivity(m, ["k"], ["A.load"], 0.1)
    assert jd.kinematics("four_bar", "A", from_="-45 deg", to="-20 deg").status.ok
    assert jd.study("four_bar", 0.1, vary={"k": [1, 2]}, collect="max(A.load)").ok.all()
    assert jd.tree("pendulum").coordinates


def test_a_name_that_is_neither_gets_the_nearest() -> None:
    with pytest.raises(jd.JourdainError, match=r"no file and no example 'four_baar'.*did you mean 'four_bar'"):
        jd.simulate("four_baar", 1.0)
    with pytest.raises(jd.FileError, match="there is no such file"):
        jd.check("four_baar.yaml")
    with pytest.raises(jd.ChoiceError, match="is no mechanism"):
        jd.check(3)  # type: ignore[arg-type]
