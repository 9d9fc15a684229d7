"""Studies on a real Dask cluster on loopback: same bits, and a worker that dies costs what it was doing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.studies import workshop

distributed = pytest.importorskip("distributed")

GIVEN: dict[str, Any] = {
    "vary": {"k": np.linspace(100, 300, 200), "crank.mass": [1.0, 2.0]},
    "collect": {"peak": "max(A.load)", "end": "final(coupler.x)"},
    "duration": 1.0,
    "every": 0.02,
}


@pytest.fixture(autouse=True)
def many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "LEAST_IN_PIECE", 10)
    monkeypatch.setattr(workshop, "LEAST_PIECES", 40)


class Cluster:
    """A scheduler and workers, as `dask scheduler` and `dask worker` start them."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        for _ in range(2):
            self._start("distributed.cli.dask_worker", "--no-nanny", "--no-dashboard", "--nthreads", "1")

    def _start(self, module: str, *words: str) -> None:
        command = [sys.executable, "-m", module, "--scheduler-file", str(self.file), *words]
        self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    @property
    def address(self) -> str:
        import json

        for _ in range(300):
            try:
                return str(json.loads(self.file.read_text())["address"])
            except (OSError, ValueError):
                time.sleep(0.1)
        raise AssertionError("the scheduler did not start")

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.stop()


def test_a_cluster_gives_the_bits_of_this_process_also_when_a_worker_dies(cluster: Cluster) -> None:
    here = jd.study(jd.example("four_bar"), **GIVEN)
    with pytest.warns(jd.SimulationWarning, match="asks nobody who he is"):
        there = jd.study(jd.example("four_bar"), cluster=cluster.address, **GIVEN)
    assert all(np.array_equal(here[name], there[name]) for name in here.names)

    def kill(look: jd.Progress) -> None:
        worker = cluster.processes[1]
        if look.t >= 100 and worker.poll() is None:
            worker.send_signal(signal.SIGKILL)
            worker.wait()

    with distributed.Client(cluster.address, set_as_default=False) as client:
        executor = client.get_executor()
        died = jd.study(jd.example("four_bar"), executor=executor, progress=kill, **GIVEN)
        assert cluster.processes[1].poll() == -signal.SIGKILL
        found = jd.study(
            jd.example("four_bar"), executor=executor, **{**GIVEN, "collect": {"f": lambda run: run.t[-1]}}
        )
    assert died.ok.all() and all(np.array_equal(here[name], died[name]) for name in here.names)
    assert (found["f"] == 1.0).all()  # a function is sent along


def test_a_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jourdain.studies.executors.CONNECT", 1)
    with (
        pytest.warns(jd.SimulationWarning),
        pytest.raises(jd.StudyError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"),
    ):
        jd.study(jd.example("four_bar"), cluster="tcp://127.0.0.1:9", **GIVEN)
