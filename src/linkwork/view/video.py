"""Video: a recording in, an .mp4 or .gif out, frame by frame through the very page a browser shows.

Every frame is the page at an exact time, so a video runs at exactly the speed asked for however long drawing takes.
docs/decisions/video.md says why a browser and not a second way of drawing.
"""

from __future__ import annotations

import io
import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from linkwork.errors import LinkworkError
from linkwork.results import Recording, write_whole
from linkwork.view.browser import Browser
from linkwork.view.page import write_page

MOST_FRAMES = 100_000
LIKED = 8.0  # seconds a video lasts if no speed is given and real time would be too short or too long to watch
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """How to film: frames per second, size in pixels, model seconds per second (None: chosen), dark or light."""

    fps: float = 30.0
    width: int = 960
    height: int = 600
    speed: float | None = None
    dark: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.fps <= 240:
            raise LinkworkError(f"{self.fps:g} frames per second: choose 1 to 240")
        if not (64 <= self.width <= 7680 and 64 <= self.height <= 4320):
            raise LinkworkError(f"size {self.width}x{self.height}: choose 64x64 to 7680x4320 pixels")
        if self.speed is not None and not (math.isfinite(self.speed) and self.speed > 0):
            raise LinkworkError(f"speed {self.speed:g}: choose a positive number of model seconds per second")

    def times(self, begin: float, end: float, fps: float) -> list[float]:
        """The model times of the frames."""
        step = self.pace(end - begin) / fps
        count = math.floor((end - begin) / step * (1 + 1e-12)) + 1
        if count > MOST_FRAMES:
            raise LinkworkError(f"{count} frames are too many for a video. Choose a greater --speed or fewer --fps")
        return [min(begin + i * step, end) for i in range(count)]

    def pace(self, duration: float) -> float:
        """Model seconds per second: as asked, real time if that can be watched, else what lasts a few seconds."""
        if self.speed is not None:
            return self.speed
        return 1.0 if 1 <= duration <= 60 or duration <= 0 else duration / LIKED


def check_video(path: Path) -> None:
    """Refuse what cannot be made before anything is computed."""
    if path.suffix not in MAKERS:
        raise LinkworkError(f"--video '{path}': the name must end in {' or '.join(MAKERS)}")
    if path.suffix == ".gif":
        _pillow()
    else:
        find_ffmpeg()


def write_video(recording: Recording, path: Path, film: Film, progress: Progress | None = None) -> Path:
    """Draw every frame and put them together; the file appears whole or not at all."""
    check_video(path)
    return MAKERS[path.suffix](recording, path, film, progress or (lambda _: None))


def _frames(recording: Recording, film: Film, fps: float, progress: Progress) -> Iterator[bytes]:
    """The frames as PNG."""
    with tempfile.TemporaryDirectory(prefix="linkwork-film-") as folder:
        page = write_page(recording, Path(folder) / "page.html")
        with Browser(width=film.width, height=film.height, reduced_motion=True) as browser:
            browser.open(page)
            browser.evaluate("linkwork.film('dark')" if film.dark else "linkwork.film('light')")
            times = film.times(float(recording.knots.t[0]), float(recording.knots.t[-1]), fps)
            for i, t in enumerate(times):
                browser.evaluate(f"linkwork.seek({t!r})")
                yield browser.picture()
                progress(i + 1)


def count_frames(recording: Recording, film: Film, path: Path) -> int:
    """How many frames a video will have."""
    fps = 1000 / _delay(film) if path.suffix == ".gif" else film.fps
    return len(film.times(float(recording.knots.t[0]), float(recording.knots.t[-1]), fps))


# -- mp4 ---------------------------------------------------------------------------------------------------------------


def find_ffmpeg() -> str:
    """The program that makes a video of pictures."""
    program = shutil.which("ffmpeg")
    if program is None:
        try:
            import imageio_ffmpeg

            program = str(imageio_ffmpeg.get_ffmpeg_exe())
        except (ImportError, RuntimeError) as error:
            remedy = 'Install it (apt-get install ffmpeg), or run: pip install "linkwork[video]"'
            raise LinkworkError(f"a .mp4 needs ffmpeg, which is not there. {remedy}") from error
    return program


def _write_mp4(recording: Recording, path: Path, film: Film, progress: Progress) -> Path:
    # even sizes and this colour format are what every player understands
    even = Film(fps=film.fps, width=film.width & ~1, height=film.height & ~1, speed=film.speed, dark=film.dark)
    with tempfile.TemporaryDirectory(prefix="linkwork-film-") as folder:
        made = Path(folder) / "film.mp4"
        words = [find_ffmpeg(), "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", repr(film.fps)]
        words += ["-c:v", "png", "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18"]
        words += ["-movflags", "+faststart", str(made)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stderr is not None
            try:
                for frame in _frames(recording, even, film.fps, progress):
                    process.stdin.write(frame)
                process.stdin.close()
            except BrokenPipeError:
                pass  # what ffmpeg complained about is told below
            except BaseException:
                process.kill()
                raise
            complaint = process.stderr.read().decode(errors="replace").strip()
        if process.returncode != 0:
            raise LinkworkError(f"ffmpeg failed: {complaint[-500:]}")
        return write_whole(path, lambda file: _copy(made, file))


def _copy(source: Path, file: IO[bytes]) -> None:
    with source.open("rb") as content:
        shutil.copyfileobj(content, file)


# -- gif ---------------------------------------------------------------------------------------------------------------


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise LinkworkError('a .gif needs Pillow, which is not there. Run: pip install "linkwork[video]"') from error
    return Image


def _delay(film: Film) -> int:
    """Milliseconds per frame: a GIF counts hundredths of a second, and players slow down below two."""
    return 10 * max(2, round(100 / film.fps))


def _write_gif(recording: Recording, path: Path, film: Film, progress: Progress) -> Path:
    image = _pillow()
    delay, palette, pictures = _delay(film), None, []
    for frame in _frames(recording, film, 1000 / delay, progress):
        picture = image.open(io.BytesIO(frame)).convert("RGB")
        if palette is None:
            palette = picture.quantize(colors=256, method=image.Quantize.MEDIANCUT, kmeans=1)
        # one palette and no dithering: what does not move costs nothing
        pictures.append(picture.quantize(palette=palette, dither=image.Dither.NONE))
    first, *rest = pictures

    def write(file: IO[bytes]) -> None:
        first.save(file, "GIF", save_all=True, append_images=rest, duration=delay, loop=0, optimize=True)

    return write_whole(path, write)


MAKERS: dict[str, Callable[[Recording, Path, Film, Progress], Path]] = {".mp4": _write_mp4, ".gif": _write_gif}
