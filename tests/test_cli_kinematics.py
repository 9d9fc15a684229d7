"""`jourdain kinematics` and `jourdain inverse`: reports, files, exit codes, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import jourdain as jd
from jourdain.cli.main import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_range_of_a_joint_with_tables_and_pictures(capsys) -> None:
    words = "kinematics slider_crank --drive A --from 0deg --to 360deg --points 37 --maxima -o out.csv --plot slider.vx"
    assert main([*words.split(), "--path", "rod.B", "--polar", "B", "--polar-to", "load.svg"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("slider-crank: 3 bodies, 4 joints\n")
    assert "A.angle driven from 0 deg to 360 deg" in out
    assert "dead points of guide.displacement at A.angle = 0 deg, A.angle = 180 deg" in out
    assert "\nchannel " in out
    for name in ("out.csv", "slider_crank-plot.png", "slider_crank-path.png", "load.svg"):
        assert Path(name).stat().st_size > 0
        assert f"written  {name}" in out
    again = jd.load_results("out.csv")
    np.testing.assert_allclose(again["A.angle"], np.radians(np.linspace(0, 360, 37)), atol=1e-12)


def test_a_limit_of_travel_has_its_own_exit_code(capsys) -> None:
    assert main(["kinematics", "quick_return", "--drive", "A", "--quiet"]) == 1
    assert "'A' cannot be driven beyond 152.696414 deg: limit of travel" in capsys.readouterr().err


def test_json_of_both_commands(capsys) -> None:
    assert main(["kinematics", "rssr", "--drive", "motor", "--points", "13", "--json", "--maxima"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["analysis"] == "kinematics"
    assert found["samples"] == 13
    assert found["dead_points"][0]["channel"] == "Q.angle"
    assert {row["channel"] for row in found["maxima"]} >= {"motor.torque", "A.load"}
    words = ["inverse", "slider_crank", "--drive", "A", "--speed", "60 rpm", "--points", "7", "--json"]
    assert main([*words, "--actuators", "A,guide", "--weights", "A=2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["efforts"]) == ["A", "guide"]
    assert found["efforts"]["guide"]["channel"] == "actuator_guide.force"
    assert len(found["internal"]) == 1


def test_motions_of_the_file_and_its_own_duration(capsys) -> None:
    assert main(["inverse", "rssr", "--duration", "0.2", "--every", "20ms"]) == 0
    out = capsys.readouterr().out
    assert "0 to 0.2 s, 11 samples" in out
    assert "effort  motor: up to " in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("kinematics slider_crank", "nothing drives it: it has no motions; drive one of A, B, C, guide"),
        ("kinematics slider_crank --drive Z", "no joint or motion 'Z' to drive; known: A, B, C, guide"),
        ("kinematics slider_crank --to 5 --points 3", "--to, --points: a range needs --drive JOINT"),
        ("kinematics slider_crank --drive A --every 1", "--every: with --drive the range says how long"),
        ("kinematics slider_crank --drive A --speed 0", "speed is 0.0: a driver that does not move has no range"),
        ("kinematics slider_crank --drive A --to 3m", "to is '3m': that is a length; expected a number (rad)"),
        ("kinematics slider_crank --drive A --plot x.y", "no channel 'x.y'"),
        ("kinematics slider_crank --drive A --path rod.Q --plot slider.x", "no channel 'rod.Q.x'"),
        ("kinematics slider_crank --drive A --path-to a.png", "--path-to does nothing without --path"),
        ("kinematics slider_crank --drive A --fps 3", "--trace, --fps and --film-speed do nothing without --animate"),
        ("kinematics slider_crank --drive A --channels a", "--channels does nothing without -o"),
        ("kinematics slider_crank --drive A --against t", "--against does nothing without --plot"),
        ("kinematics slider_crank --drive A --actuators A", "unrecognized arguments: --actuators A"),
        ("inverse slider_crank --drive A --actuators A --weights A", "--weights 'A': expected JOINT=NUMBER"),
        ("inverse slider_crank --drive A --actuators Q", "no joint 'Q' for an actuator"),
    ],
)
def test_refusals(words: str, told: str, capsys) -> None:
    assert main(words.split()) == 2
    assert told in capsys.readouterr().err
    assert list(Path.cwd().iterdir()) == []
