"""Real video as grey frames: files through PyAV, cameras through v4l2.

A picture is a float64 array of shape (height, width) with values in [0, 1]. Colour becomes luma of
8 bits at full range (0 is black, 1 is white). `fit` says how a picture of another size goes into
the asked one; by default it is scaled to cover it and cropped at its centre, not stretched.

What goes wrong with videos is told apart: a file that is no video, one without pictures, one that
was cut off, a camera that is not there. A video that is merely shorter than asked is not an error;
the caller sees how many frames came.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from ringwright.camera.fit import Fit, check_mode, fitted
from ringwright.errors import ParameterError, RingwrightError, StorageError

Picture = NDArray[np.float64]

_NAMED_SIZES = {"qqvga": (160, 120), "qvga": (320, 240)}
_SHORTEST, _LONGEST = 8, 4096
_FS_PER_NS = 1_000_000
#: Share of its stated length that a video without a frame count must reach.
_WHOLE = 0.9


class VideoError(RingwrightError):
    """A video that cannot be opened, holds no pictures, or breaks off before its end."""


class MissingVideoError(VideoError, StorageError):
    """A video or a camera that is not there."""


@dataclass(frozen=True)
class Size:
    """Width and height in pixels, 8 to 4096 each."""

    width: int
    height: int

    @classmethod
    def parse(cls, text: str) -> Size:
        """Reads `qqvga`, `qvga` or `WIDTHxHEIGHT`."""
        named = _NAMED_SIZES.get(text.lower())
        match = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text.lower())
        if named is None and match is None:
            raise ParameterError(
                f"resolution {text!r}: expected {', '.join(_NAMED_SIZES)} or WIDTHxHEIGHT"
            )
        width, height = named or (int(match[1]), int(match[2]))  # type: ignore[index]
        if not all(_SHORTEST <= side <= _LONGEST for side in (width, height)):
            raise ParameterError(
                f"resolution {text!r}: width and height must be {_SHORTEST} to {_LONGEST} pixels"
            )
        return cls(width, height)

    @property
    def pixels(self) -> int:
        """Width times height."""
        return self.width * self.height

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


@dataclass(frozen=True)
class Frame:
    """One grey picture and what it cost to get it.

    `luma`: 8 bits a pixel, shape (height, width). `capture_fs`: femtoseconds spent decoding and
    turning grey; waiting for a live camera is not counted. `fit`: how it went into its size.
    """

    luma: NDArray[np.uint8]
    capture_fs: int
    fit: Fit

    @property
    def picture(self) -> Picture:
        """The luma in [0, 1]."""
        return self.luma / 255.0


@dataclass(frozen=True)
class Source:
    """Where frames come from: a file, or the camera /dev/videoN."""

    path: Path
    live: bool = False

    @classmethod
    def device(cls, number: int) -> Source:
        """The camera /dev/video`number`."""
        if number < 0:
            raise ParameterError(f"device {number}: expected 0 or more, the N of /dev/videoN")
        return cls(Path(f"/dev/video{number}"), live=True)

    def __str__(self) -> str:
        return str(self.path) if self.live else self.path.name


def read_frames(source: Source, size: Size, count: int, fit: str = "cover") -> Iterator[Frame]:
    """Yields up to `count` frames of `size`; fewer only where an intact video ends.

    `fit`: `cover`, `contain` or `stretch`; another raises `ParameterError`. Raises `VideoError`
    when the source cannot be opened, has no pictures, or was cut off.
    """
    check_mode(fit)
    got, seconds = 0, 0.0
    with _open(source) as container:
        stream = _picture_stream(container, source)
        aspect = float(stream.sample_aspect_ratio or 1)
        for picture, decode_ns in _decoded(container, stream, source):
            started = time.perf_counter_ns()
            placed = fitted(fit, (picture.width, picture.height), aspect, (size.width, size.height))
            luma = _luma(picture, placed)
            spent_ns = decode_ns + time.perf_counter_ns() - started
            yield Frame(luma, spent_ns * _FS_PER_NS, placed)
            got, seconds = got + 1, picture.time or seconds
            if got == count:
                return
        if got == 0:
            raise VideoError(f"{source.path}: holds no frames")
        _refuse_cut_off(container, stream, source, _End(got, seconds))


def _open(source: Source) -> av.container.InputContainer:
    if not source.path.exists():
        kind = "no such camera" if source.live else "no such file"
        raise MissingVideoError(f"{source.path}: {kind}")
    if source.path.is_dir():
        raise VideoError(f"{source.path}: is a directory, expected a video file")
    try:
        return av.open(str(source.path), format="v4l2" if source.live else None)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        what = "a camera that v4l2 can open" if source.live else "a video file"
        raise VideoError(f"{source.path}: not {what} ({_reason(error)})") from error


def _picture_stream(
    container: av.container.InputContainer, source: Source
) -> av.video.stream.VideoStream:
    if not container.streams.video:
        kinds = ", ".join(sorted({s.type for s in container.streams})) or "nothing"
        raise VideoError(f"{source.path}: no video stream (found: {kinds})")
    return container.streams.video[0]


def _decoded(
    container: av.container.InputContainer, stream: av.video.stream.VideoStream, source: Source
) -> Iterator[tuple[av.VideoFrame, int]]:
    """Pictures with the nanoseconds of decoding that led to each."""
    spent = 0
    packets = container.demux(stream)
    while True:
        started = time.perf_counter_ns()
        try:
            packet = next(packets, None)
            if source.live:
                started = time.perf_counter_ns()
            pictures = packet.decode() if packet is not None else []
        except av.error.FFmpegError as error:
            raise VideoError(
                f"{source.path}: damaged or cut off while decoding ({_reason(error)})"
            ) from error
        spent += time.perf_counter_ns() - started
        if packet is None:
            return
        if packet.is_corrupt:
            raise VideoError(f"{source.path}: cut off: the data ends inside a frame")
        for picture in pictures:
            if isinstance(picture, av.VideoFrame):
                yield picture, spent
                spent = 0


def _luma(picture: av.VideoFrame, fit: Fit) -> NDArray[np.uint8]:
    """Luma at full range, scaled; then cropped, or framed in black, at the centre."""
    (wide, high), (width, height) = fit.scaled, fit.frame
    luma = picture.reformat(width=wide, height=high, format="gray").to_ndarray()
    left, top = max(0, wide - width) // 2, max(0, high - height) // 2
    cut = luma[top : top + height, left : left + width].astype(np.uint8)
    if cut.shape == (height, width):
        return cut
    framed = np.zeros((height, width), np.uint8)
    left, top = (width - cut.shape[1]) // 2, (height - cut.shape[0]) // 2
    framed[top : top + cut.shape[0], left : left + cut.shape[1]] = cut
    return framed


@dataclass(frozen=True)
class _End:
    """Where the pictures ended: how many came, and when the last one began."""

    frames: int
    seconds: float


def _refuse_cut_off(
    container: av.container.InputContainer,
    stream: av.video.stream.VideoStream,
    source: Source,
    end: _End,
) -> None:
    """A header that promises more than there is gives away a video that was cut off.

    Containers that count no frames state a length, which sound or a long last picture may stretch:
    only pictures that end well before it are refused.
    """
    stated = (container.duration or 0) / av.time_base
    shown = end.seconds + (1 / float(stream.average_rate) if stream.average_rate else 0)
    if end.frames < stream.frames:
        promise = f"{stream.frames} frames, {end.frames} could be decoded"
    elif stream.frames == 0 and shown < _WHOLE * stated:
        promise = f"{stated:.3g} seconds, the pictures end after {shown:.3g}"
    else:
        return
    raise VideoError(f"{source.path}: cut off: its header promises {promise}")


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return text.rstrip(".").lower()
