"""Results in files: what other programs read is what the run holds, and what is read back can be plotted and drawn."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import h5py
import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.results.reload import Reloaded


@cache
def run_of(space: str) -> jd.Solution:
    m = machines.four_bar() if space == "plane" else machines.spatial_four_bar()
    m.parameter("load", 3.5)
    return jd.simulate(m, 0.5, every=0.05)


both = pytest.mark.parametrize("space", ["plane", "space"])


def saved(tmp_path: Path, suffix: str, space: str = "plane", **more: object) -> tuple[jd.Solution, Path]:
    run, path = run_of(space), tmp_path / f"out{suffix}"
    run.save(path, **more)  # type: ignore[arg-type]
    return run, path


# Files as other programs see them ---------------------------------------------------------------------------------


def test_json_holds_numbers_units_and_what_was_done(tmp_path: Path) -> None:
    run, path = saved(tmp_path, ".json")
    content = json.loads(path.read_text())
    assert content["format"] == "jourdain results"
    assert content["t"] == run.t.tolist()
    assert list(content["channels"]) == run.channels
    assert content["channels"]["crank.angle"] == run["crank.angle"].tolist()
    assert content["units"]["crank.angle"] == "rad"
    assert content["units"]["A.fx"] == "N"
    kept = content["metadata"]
    assert kept["jourdain"] == jd.__version__
    assert kept["mechanism"] == "four-bar"
    assert kept["parameters"] == {"load": 3.5}
    assert (kept["recipe"], kept["coordinates"], kept["treatment"]) == ("auto", "angle", "kkt")
    assert (kept["integrator"], kept["rtol"]) == ("dop853", 1e-9)
    assert kept["degrees_of_freedom"] == 1
    assert kept["status"] == "completed to t = 0.5 s"


def test_what_is_not_finite_becomes_null_and_comes_back(tmp_path: Path) -> None:
    record = Reloaded(tmp_path / "x", np.array([0.0, 1.0]), {"a.b": np.array([np.nan, 2.0])}, {}, {"jourdain": "0"})
    record.to_json(tmp_path / "gap.json")
    assert json.loads((tmp_path / "gap.json").read_text())["channels"]["a.b"] == [None, 2.0]
    again = jd.load_results(tmp_path / "gap.json")["a.b"]
    assert math.isnan(again[0])
    assert again[1] == 2.0


@pytest.mark.parametrize("suffix", [".nc", ".h5", ".hdf5"])
def test_netcdf_is_hdf5_with_a_dimension_over_which_all_channels_lie(tmp_path: Path, suffix: str) -> None:
    run, path = saved(tmp_path, suffix)
    with h5py.File(path) as file:
        assert set(file) == {"t", *run.channels}
        assert np.array_equal(file["t"], run.t)
        assert np.array_equal(file["coupler.C.vx"], run["coupler.C.vx"])
        assert file["coupler.C.vx"].attrs["units"] == "m/s"
        assert file["coupler.C.vx"].dims[0][0].name == "/t"
        assert file.attrs["title"] == "four-bar"
        assert file.attrs["source"] == f"jourdain {jd.__version__}"
        assert json.loads(file.attrs["parameters"]) == {"load": 3.5}
        assert file.attrs["recipe"] == "auto"


def test_libraries_for_netcdf_read_it(tmp_path: Path) -> None:
    netcdf = pytest.importorskip("netCDF4", exc_type=ImportError)
    run, path = saved(tmp_path, ".nc", "space")
    with netcdf.Dataset(path) as file:
        assert file["coupler.qw"].dimensions == ("t",)
        assert np.array_equal(file["coupler.qw"][:], run["coupler.qw"])
        assert file["coupler.qw"].units == "1"
        assert file["t"].units == "s"
        assert file.mechanism == "spatial four-bar"


def test_many_channels_do_not_take_time_squared(tmp_path: Path) -> None:
    """HDF5 keeps at most 64 kB in an attribute: more than 4000 channels once failed to name their dimension."""
    values = {f"c{k}.x": np.array([1.0, k]) for k in range(5000)}
    Reloaded(tmp_path / "x", np.array([0.0, 1.0]), values, {}, {"jourdain": "0"}).to_netcdf(tmp_path / "many.nc")
    with h5py.File(tmp_path / "many.nc") as file:
        assert len(file) == 5001
        assert file["c4999.x"].dims[0][0].name == "/t"


def test_xarray_and_pandas_get_names_units_and_metadata() -> None:
    run = run_of("plane")
    data = run.to_xarray()
    assert data.sizes == {"t": 11}
    assert np.array_equal(data["rocker.spin"].sel(t=0.5), run["rocker.spin"][-1])
    assert data["rocker.spin"].attrs == {"units": "rad/s", "long_name": "angular velocity"}
    assert data.attrs["mechanism"] == "four-bar"
    frame = run.to_pandas(["rocker.spin", "energy.total"])
    assert frame.index.name == "t"
    assert list(frame.columns) == ["rocker.spin", "energy.total"]
    assert frame["energy.total"].iloc[3] == run["energy.total"][3]
    assert frame.attrs["units"] == {"rocker.spin": "rad/s", "energy.total": "J"}


def test_chosen_channels_and_all_wrong_names_at_once(tmp_path: Path) -> None:
    run = run_of("plane")
    run.to_csv(tmp_path / "two.csv", channels=["t", "crank.x", "ground.A.x", "crank.x"])
    with open(tmp_path / "two.csv", newline="") as file:
        assert next(csv.reader(file)) == ["t", "crank.x", "ground.A.x"]
    with pytest.raises(KeyError) as caught:
        run.to_json(tmp_path / "none.json", channels=["crank.xx", "B.fx", "crnk.y"])
    text = str(caught.value)
    assert "no channel 'crank.xx'" in text
    assert "did you mean 'crank.x'?" in text
    assert "no channel 'crnk.y'" in text
    assert not (tmp_path / "none.json").exists()


def test_a_kind_of_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(jd.ResultsError, match=r"cannot be written or read as '\.xls'; known: \.csv, \.h5"):
        run_of("plane").save(tmp_path / "out.xls")


@pytest.mark.parametrize(
    ("library", "use", "sentence"),
    [
        ("h5py", lambda run, path: run.to_netcdf(path), r"a file .nc, .h5 or .hdf5 needs h5py, .*: pip install h5py$"),
        ("pandas", lambda run, path: run.to_pandas(), r"^to_pandas needs pandas, .*: pip install pandas$"),
        ("xarray", lambda run, path: run.to_xarray(), r"^to_xarray needs xarray, .*: pip install xarray$"),
        (
            "imageio_ffmpeg",
            lambda run, path: run.animate(path.with_suffix(".mp4")),
            r"^an animation .mp4 needs imageio-ffmpeg, .*: pip install imageio-ffmpeg$",
        ),
    ],
)
def test_a_missing_library_is_told_in_a_sentence(library, use, sentence, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(jd.MissingLibraryError, match=sentence) as caught:
        use(run_of("plane"), tmp_path / "out.nc")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


# Read back --------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("suffix", [".csv", ".json", ".nc", ".h5"])
def test_every_digit_comes_back(tmp_path: Path, suffix: str, space: str) -> None:
    run, path = saved(tmp_path, suffix, space)
    again = jd.Solution.load(path)
    assert again.channels == run.channels
    assert np.array_equal(again.t, run.t)
    for name in run.channels:
        assert np.array_equal(again[name], run[name]), name


@pytest.mark.parametrize("suffix", [".json", ".nc"])
def test_metadata_and_units_come_back(tmp_path: Path, suffix: str) -> None:
    run, path = saved(tmp_path, suffix)
    again = jd.load_results(path)
    assert again.metadata == run.metadata
    assert again.summary() == run.summary()
    assert again.name == "four-bar"
    assert [again.unit(name) for name in run.channels] == [run.unit(name) for name in run.channels]
    labels = [axes.get_ylabel() for axes in again.plot("crank.x", "rocker.x", "A.fx").axes]
    assert labels == ["position (m)", "A.fx (N)"]


def test_a_csv_knows_names_only(tmp_path: Path) -> None:
    _, path = saved(tmp_path, ".csv")
    again = jd.load_results(path)
    assert again.name == "out"
    assert again.plot("crank.x").axes[0].get_ylabel() == "crank.x"
    assert again.plot("energy").axes[0].get_ylabel() == "energy (J)"
    assert "0 to 0.5 s, 11 samples" in again.summary()
    with pytest.raises(jd.ResultsError, match="does not keep the mechanism, so it cannot be drawn"):
        again.draw()


@both
@pytest.mark.parametrize("suffix", [".json", ".nc"])
def test_a_reloaded_run_is_drawn_as_it_was(tmp_path: Path, suffix: str, space: str) -> None:
    run, path = saved(tmp_path, suffix, space)
    again = jd.load_results(path)
    scale = 1e-12 * run.size
    for joint in run.blueprint.joints:
        np.testing.assert_allclose(again.poses.place(joint.second), run.poses.place(joint.second), atol=scale)
    ours, theirs = again.draw([0, -1]).axes[0], run.draw([0, -1]).axes[0]
    np.testing.assert_allclose(ours.get_xlim(), theirs.get_xlim(), atol=1e-9)
    assert len(ours.lines) == len(theirs.lines)
    assert again.animate(tmp_path / "again.html").stat().st_size > 10_000


def test_reading_and_drawing_results_needs_no_kernel(tmp_path: Path) -> None:
    saved(tmp_path, ".json")
    code = (
        "import sys, jourdain as jd\n"
        "run = jd.load_results('out.json')\n"
        "run.plot('crank.x'), run.draw(), run.animate('a.html')\n"
        "assert 'numba' not in sys.modules\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)


def test_what_lacks_poses_cannot_be_drawn(tmp_path: Path) -> None:
    _, path = saved(tmp_path, ".json", channels=["crank.x"])
    with pytest.raises(jd.ResultsError, match=r"it lacks the channels crank\.y, crank\.angle, coupler\.x"):
        jd.load_results(path).draw()


def test_a_mechanism_with_python_functions_is_kept_without_it(tmp_path: Path) -> None:
    m = machines.pendulum_bar()
    m.torque("motor", on=m["rod"], torque=lambda t: 1.0 if t > 0.05 else 0.0)
    run = jd.simulate(m, 0.1, every=0.05)
    run.to_json(tmp_path / "out.json")
    again = jd.load_results(tmp_path / "out.json")
    assert np.array_equal(again["rod.x"], run["rod.x"])
    with pytest.raises(jd.ResultsError, match="does not keep the mechanism"):
        again.draw()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "x,y\n1,2\n", "its first line must be 't' and names of channels"),
        ("a.csv", "", "its first line must be 't'"),
        ("a.csv", "t,a\n0,1\n1,two\n", r"a\.csv:3: expected 2 numbers, found '1,two'"),
        ("a.csv", "t,a\n0,1\n1\n", r"a\.csv:3: expected 2 numbers, found '1'"),
        ("a.json", "{", "is not JSON"),
        ("a.json", '{"jourdain": 1}', 'it lacks "format": "jourdain results"'),
        (
            "a.json",
            '{"format": "jourdain results", "version": 9}',
            "of version 9 of the results; this Jourdain reads 1",
        ),
        ("a.nc", "text", "is no file of results"),
    ],
)
def test_files_that_hold_no_results_are_refused(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(jd.ResultsError, match=words):
        jd.load_results(tmp_path / name)


def test_hdf5_of_somebody_else_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["t"] = [1.0]
    with pytest.raises(jd.ResultsError, match="lacks the attribute format = 'jourdain results'"):
        jd.load_results(tmp_path / "other.h5")


def test_an_unknown_channel_of_a_file_is_named_with_the_nearest(tmp_path: Path) -> None:
    _, path = saved(tmp_path, ".csv")
    with pytest.raises(KeyError, match=r"no channel 'crank\.anglo' in .*out\.csv; .*did you mean 'crank\.angle'"):
        jd.load_results(path)["crank.anglo"]


def test_moments_of_an_event_are_exported_too(tmp_path: Path) -> None:
    m = machines.pendulum_bar()
    m.event("low", "rod.x", direction="both")
    low = jd.simulate(m, 2.0).events["low"]
    low.to_json(tmp_path / "low.json")
    assert jd.load_results(tmp_path / "low.json")["rod.x"] == pytest.approx(np.zeros(len(low.t)), abs=1e-8)


# In a notebook ----------------------------------------------------------------------------------------------------


def test_a_notebook_shows_a_table_and_a_picture(tmp_path: Path) -> None:
    run, path = saved(tmp_path, ".nc")
    for record in (run, jd.load_results(path)):
        html = record._repr_html_()
        assert "1 degree of freedom; 8 equations of rank 8" in html
        assert "completed to t = 0.5 s" in html
        assert '<img alt="four-bar" src="data:image/png;base64,iVBOR' in html


def test_a_notebook_shows_the_table_where_nothing_can_be_drawn(tmp_path: Path) -> None:
    _, path = saved(tmp_path, ".csv")
    html = jd.load_results(path)._repr_html_()
    assert "<table" in html
    assert "<img" not in html


def test_names_do_not_break_the_page_of_a_notebook() -> None:
    m = machines.pendulum_bar()
    m.name = "<script>alert(1)</script>"
    assert "<script>" not in jd.simulate(m, 0.1)._repr_html_()
