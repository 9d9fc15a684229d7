"""Files written for the user: checked before a long run, and afterwards each failure told in one sentence."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..mechanism.errors import JourdainError, PictureError
from ..optional import need
from .codes import UsageError

FILMS = (".html", ".gif", ".mp4")
PICTURES = (".png", ".svg", ".pdf")
LIBRARIES = {
    ".nc": ("h5py", "h5py"),
    ".h5": ("h5py", "h5py"),
    ".hdf5": ("h5py", "h5py"),
    ".mp4": ("imageio_ffmpeg", "imageio-ffmpeg"),
}
# What writes the kinds that -o does not: options of run, and commands beside plot, draw and animate.
OPTIONS = {**dict.fromkeys(FILMS, "--animate"), **dict.fromkeys(PICTURES, "--plot-to")}
COMMANDS = {**dict.fromkeys(FILMS, "jourdain animate"), **dict.fromkeys(PICTURES, "jourdain draw or plot")}


def check_target(option: str, path: str, kinds: Any, source: str = "") -> None:
    """Refuse a file that could not be written, before the time to compute it is spent; and one over its source."""
    target = Path(path)
    if source and target.exists() and Path(source).exists() and target.samefile(source):
        raise UsageError(f"{option} {path}: that is the file that is read; give another name")
    suffix = target.suffix.lower()
    if not suffix:
        raise UsageError(f"{option} {path}: what kind of file? give its name an ending: {', '.join(sorted(kinds))}")
    if suffix not in kinds:
        elsewhere = COMMANDS if kinds in (PICTURES, FILMS) else OPTIONS
        hint = f"; for '{suffix}' there is {elsewhere[suffix]}" if option == "-o" and suffix in elsewhere else ""
        raise UsageError(f"{option} {path}: cannot write '{suffix}'; known: {', '.join(sorted(kinds))}{hint}")
    if suffix in LIBRARIES:
        need(LIBRARIES[suffix][0], f"{option} {path}", LIBRARIES[suffix][1])
    if target.is_dir():
        raise UsageError(f"{option} {path}: that is a folder")
    if not target.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder '{target.parent}'")


class Writer:
    """Writes files one by one; remembers which came out and what went wrong."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.failures: list[str] = []

    def write(self, path: str, make: Callable[[str], Any]) -> None:
        """Let `make` write a file; a half-written new one does not stay behind."""
        existed = Path(path).exists()
        try:
            make(path)
        except PictureError:  # what was asked for is wrong, not the place for it
            self._remove(path, existed)
            raise
        except OSError as error:
            self.failures.append(f"cannot write {path}: {error.strerror or error}")
        except JourdainError as error:
            self.failures.append(f"cannot write {path}: {error}")
        except KeyboardInterrupt:
            self._remove(path, existed)
            raise
        else:
            self.written.append(path)
            return
        self._remove(path, existed)

    @staticmethod
    def _remove(path: str, existed: bool) -> None:
        if not existed and Path(path).is_file():
            Path(path).unlink()

    def tell_failures(self) -> None:
        for failure in self.failures:
            sys.stderr.write(f"jourdain: {failure}\n")


def animated(record: Any, path: str, option: str = "--speed", quiet: bool = False, **how: Any) -> None:
    """An animation; that it is slowed down, or does not show everything, is told."""
    from ..plotting.animation import shown_speed

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        record.animate(path, **how)
    for warning in told:
        sys.stderr.write(f"jourdain: note: {warning.message}\n")
    speed = shown_speed(record, path, how.get("fps"), how.get("speed"))
    if speed < 1 and how.get("speed") is None and not quiet:
        words = f"{path} is slowed down {1 / speed:.4g} times, so that it can be followed; {option} 1 is true speed"
        sys.stderr.write(f"jourdain: note: {words}\n")


class CountBar:
    """Frames of an animation or ways of solving, told on a terminal when they take longer than two seconds."""

    def __init__(self, name: str, thing: str = "frame") -> None:
        import time

        self._name, self._thing = name, thing
        self._clock = time.perf_counter
        self._begun = self._shown = self._clock()
        self._active = sys.stderr.isatty()

    def __call__(self, done: int, count: int) -> None:
        now = self._clock()
        if not self._active or now - self._begun < 2.0:
            return
        if done == count:
            self.clear()
        elif now - self._shown > 0.2:
            self._shown = now
            left = (now - self._begun) * (count - done) / done
            sys.stderr.write(f"\r{self._name}: {self._thing} {done} of {count}, {left:.0f} s left".ljust(70))
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._active and self._shown > self._begun:
            sys.stderr.write("\r" + " " * 70 + "\r")
            sys.stderr.flush()
