"""The motion of a mechanism as a moving picture: GIF, MP4, or a page of HTML.

Axes are set once, from the whole motion. Ground, rails and paths are drawn once; each frame restores that picture and
draws what moves, which is several times faster than drawing all of it anew.
"""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import PictureError, PictureWarning
from ..mechanism.names import nearest
from ..optional import need
from . import drawing_planar, drawing_spatial
from .film import Film
from .page import page_text, write_page
from .scene import GREY, INK, Scene
from .shown import Shown
from .tempo import Pace, dense, natural_speed, pace_of_film, pace_of_page

Array = npt.NDArray[np.float64]
Tell = Callable[[int, int], object]

KINDS = (".gif", ".mp4", ".html")
FPS = {".gif": 25.0, ".mp4": 30.0}  # GIF counts hundredths of a second; a page follows the screen
DPI = 100
COLOURS = 128  # of a GIF
NEARLY_WHITE = 240


def animate(
    record: Shown,
    path: str | Path,
    *,
    fps: float | None = None,
    speed: float | None = None,
    traces: Sequence[str] = (),
    progress: Tell | None = None,
) -> Path:
    """Write the motion as .gif, .mp4 or .html.

    At `speed` 1 it takes as long as it does; without a speed it does too, unless it is too fast to be followed: then it
    is slowed down, and the picture says how much.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise PictureError(f"'{path}': an animation cannot be written as '{kind}'; {nearest(kind, KINDS)}")
    for name, value in (("fps", fps), ("speed", speed)):
        if value is not None and not 0 < value < np.inf:
            raise PictureError(f"{name} is {value}; expected a positive number")
    Scene(record, 0, traces)  # a mistyped name is told before frames are made
    rate = fps or FPS.get(kind, 0.0)
    pace = pace_of_page(record, speed) if kind == ".html" else pace_of_film(record, rate, speed)
    film = Film(record, pace.times)
    for note in (*pace.notes, *_jumping(record, film)):
        warnings.warn(note, PictureWarning, stacklevel=3)
    scene = Scene(film, 0, traces, whole=True, paths_from=dense(record))
    if kind == ".html":
        write_page(scene, path, pace.speed)
    elif kind == ".gif":
        _write_gif(path, pictures(scene, progress, pace), len(film.t), rate)
    else:
        _write_mp4(path, pictures(scene, progress, pace), rate)
    return path


def page(record: Shown, *, speed: float | None = None, traces: Sequence[str] = ()) -> str:
    """The motion as a page of HTML, as `animate` writes it."""
    if speed is not None and not 0 < speed < np.inf:
        raise PictureError(f"speed is {speed}; expected a positive number")
    pace = pace_of_page(record, speed)
    film = Film(record, pace.times)
    return page_text(Scene(film, 0, traces, whole=True, paths_from=dense(record)), pace.speed)


def shown_speed(record: Shown, path: str | Path, fps: float | None, speed: float | None) -> float:
    """The speed at which `animate` shows a record."""
    kind = Path(path).suffix.lower()
    if kind == ".html":
        return natural_speed(record) if speed is None else speed
    return pace_of_film(record, fps or FPS[kind], speed).speed


def _jumping(record: Shown, film: Film) -> list[str]:
    if not film.jumps:
        return []
    apart = float(np.max(np.diff(record.t)))
    words = f"samples are up to {apart:.3g} s apart, too far to say what is between them"
    return [f"{words}: the picture goes from sample to sample; run with a smaller `every` to see more"]


def pictures(scene: Scene, tell: Tell | None = None, pace: Pace | None = None) -> Iterator[npt.NDArray[np.uint8]]:
    """Frames as arrays (height, width, 3), their sides even numbers."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    flat = scene.blueprint.dim == 2
    how: Any = drawing_planar if flat else drawing_spatial
    size = np.array(drawing_planar.figure_size(scene) if flat else drawing_spatial.FIGURE_SIZE)
    figure = Figure(figsize=tuple(2 * np.round(size * DPI / 2) / DPI), dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    ax = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    figure.subplots_adjust(**_margins(scene, size))
    sheet = how.begin(scene, ax)
    ax.set_title(scene.run.name, fontsize=11, loc="left")
    how.draw_still(sheet, scene)
    if pace is not None:
        figure.text(0.99, 0.015, pace.words, ha="right", va="bottom", color=GREY, fontsize=9)
    canvas.draw()
    still = canvas.copy_from_bbox(figure.bbox)
    sheet.made.clear()
    count = len(scene.run.t)
    digits = decimals(scene.run.t)
    for k in range(count):
        how.draw_moving(sheet, scene.moved_to(k))
        clock = figure.text(
            0.99, 0.985, f"t = {scene.run.t[k]:.{digits}f} s", ha="right", va="top", color=INK, fontsize=10
        )
        canvas.restore_region(still)
        for artist in sorted(sheet.made, key=lambda artist: artist.get_zorder()):
            if hasattr(artist, "do_3d_projection"):
                artist.do_3d_projection()
            ax.draw_artist(artist)
        figure.draw_artist(clock)
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()
        for artist in (*sheet.made, clock):
            artist.remove()
        sheet.made.clear()
        if tell is not None:
            tell(k + 1, count)


def decimals(t: Array) -> int:
    """Digits after the point that tell one frame from the next: two, and more for short motions."""
    step = float(t[-1] - t[0]) / max(len(t) - 1, 1)
    return int(np.clip(np.ceil(-np.log10(step)), 2, 9)) if step > 0 else 2


def _margins(scene: Scene, size: Array) -> dict[str, float]:
    """Room for labels and, on the right, for the names of bodies: fixed, so that nothing jumps."""
    if scene.blueprint.dim == 3:
        return {"left": 0.02, "right": 0.84, "bottom": 0.05, "top": 0.93}
    longest = max((len(b.name) for b in scene.blueprint.bodies), default=0)
    named = 1 < len(scene.blueprint.bodies) <= 10
    right = min(0.45 * size[0], 0.55 + 0.075 * longest) if named else 0.25
    return {"left": 0.75 / size[0], "right": 1 - right / size[0], "bottom": 0.5 / size[1], "top": 1 - 0.4 / size[1]}


def _write_gif(path: Path, frames: Iterator[npt.NDArray[np.uint8]], count: int, fps: float) -> None:
    """All frames with the colours of the first, and each shown to the nearest hundredth of a second."""
    from PIL import Image

    first = Image.fromarray(next(frames))
    found = first.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    colours = np.reshape(found.getpalette() or [], (-1, 3))
    colours[np.all(colours >= NEARLY_WHITE, axis=1)] = 255  # or paper would be a little off white
    palette = Image.new("P", (1, 1))
    palette.putpalette(colours.ravel().tolist())

    def reduced(image: Image.Image) -> Image.Image:
        return image.quantize(palette=palette, dither=Image.Dither.NONE)

    others = (reduced(Image.fromarray(frame)) for frame in frames)
    ends = np.round(100 * np.arange(count + 1) / fps).astype(int)
    delays = [10 * int(d) for d in np.maximum(np.diff(ends), 2)]  # browsers slow down what is quicker than 20 ms
    how = {"append_images": others, "duration": delays, "loop": 0, "optimize": False}
    reduced(first).save(path, format="GIF", save_all=True, **how)


def _write_mp4(path: Path, frames: Iterator[npt.NDArray[np.uint8]], fps: float) -> None:
    """Frames go to ffmpeg as they are made; what it says is kept from the terminal and told if it fails."""
    program = need("imageio_ffmpeg", "an animation .mp4", "imageio-ffmpeg").get_ffmpeg_exe()
    with open(path, "wb"):  # a folder that cannot be written to is told by Python, not by ffmpeg
        pass
    first = next(frames)
    size = f"{first.shape[1]}x{first.shape[0]}"
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", f"{fps:g}", "-i", "-"]
    film = ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", f"file:{path}"]
    with tempfile.TemporaryFile() as words:
        command = [program, "-y", "-loglevel", "error", *source, *film]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=words)
        try:
            with contextlib.suppress(BrokenPipeError), process.stdin:  # type: ignore[union-attr]
                for frame in itertools.chain([first], frames):
                    process.stdin.write(frame.tobytes())  # type: ignore[union-attr]
        except BaseException:
            process.kill()
            raise
        finally:
            code = process.wait()
        if code != 0:
            words.seek(0)
            said = words.read().decode(errors="replace").strip().splitlines()
            raise OSError((said or ["ffmpeg failed"])[0].rpartition(": ")[2])
