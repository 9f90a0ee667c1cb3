"""Frames from real containers: geometry, range, and every way a video can be wrong."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from ringwright.camera.clip import BUNDLED, COUNT, CREDIT, HEIGHT, WIDTH
from ringwright.camera.fit import MODES, fitted
from ringwright.camera.video import Size, Source, VideoError, read_frames
from ringwright.errors import ParameterError


def gradient(height: int, width: int) -> np.ndarray:
    return np.tile(np.linspace(0, 255, width), (height, 1)).astype(np.uint8)


def read(path: Path, size: Size, count: int = 1):
    return list(read_frames(Source(path), size, count))


def test_the_bundled_clip_is_whole_small_and_attributed() -> None:
    frames = read(BUNDLED, Size(WIDTH, HEIGHT), 1000)
    assert len(frames) == COUNT
    assert BUNDLED.stat().st_size < 150_000
    credit = (BUNDLED.parent / "README.md").read_text(encoding="utf-8")
    assert CREDIT.rpartition(",")[0] in credit


def test_the_bundled_clip_moves() -> None:
    frames = [frame.picture for frame in read(BUNDLED, Size.parse("qqvga"), COUNT)]
    energies = [np.mean((b - a) ** 2) for a, b in pairwise(frames)]
    assert max(energies) > 10 * min(energies) > 0


@pytest.mark.parametrize("size", [Size(160, 120), Size(33, 17), Size(9, 64), Size(401, 8)])
def test_frames_have_the_asked_size(size: Size) -> None:
    (frame,) = read(BUNDLED, size)
    assert frame.luma.shape == (size.height, size.width)
    assert frame.capture_fs > 0
    assert 0 <= frame.picture.min() <= frame.picture.max() <= 1


def test_luma_has_full_range_and_keeps_its_order(make_video) -> None:
    (frame,) = read(make_video([gradient(64, 64)]), Size(64, 64))
    row = frame.picture[32]
    assert row[0] < 0.02
    assert row[-1] > 0.98
    assert np.all(np.diff(row) > -0.02)


def test_a_wide_picture_is_cropped_at_its_centre_not_squeezed(make_video) -> None:
    wide = make_video([gradient(64, 128)])
    (frame,) = read(wide, Size(64, 64))
    full = np.linspace(0, 1, 128)[32:96]
    assert np.max(np.abs(frame.picture[32] - full)) < 0.03


def test_a_picture_can_be_framed_or_stretched(make_video) -> None:
    wide = make_video([gradient(64, 128)])
    size, full = Size(64, 64), np.linspace(0, 1, 128)
    (whole,) = read_frames(Source(wide), size, 1, "contain")
    bar = (64 - 32) // 2
    assert not whole.luma[:bar].any()
    assert not whole.luma[-bar:].any()
    (stretched,) = read_frames(Source(wide), size, 1, "stretch")
    for row in (whole.picture[32], stretched.picture[4]):
        assert np.max(np.abs(row - full.reshape(64, 2).mean(axis=1))) < 0.03
    (cropped,) = read(wide, size)
    assert [f.fit.shown for f in (whole, stretched, cropped)] == [1, 1, 0.5]
    assert [f.fit.filled for f in (whole, stretched, cropped)] == [0.5, 1, 1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", [(1, 1), (7, 500), (4096, 9), (320, 240)])
@pytest.mark.parametrize("aspect", [0.5, 1.0, 16 / 11])
def test_every_picture_goes_into_every_frame(
    mode: str, source: tuple[int, int], aspect: float
) -> None:
    for frame in [(8, 8), (8, 4096), (33, 17)]:
        fit = fitted(mode, source, aspect, frame)
        bars = mode == "contain"
        assert all((a <= b) if bars else (a >= b) for a, b in zip(fit.scaled, frame, strict=True))
        assert min(fit.scaled) >= 1
        assert 0 < fit.shown <= 1
        assert 0 < fit.filled <= 1


def test_a_shorter_video_gives_what_it_has(make_video) -> None:
    path = make_video([gradient(32, 32)] * 5)
    assert len(read(path, Size(32, 32), 50)) == 5


def test_a_video_cut_off_in_its_data_is_refused(make_video) -> None:
    rng = np.random.default_rng(1)
    noise = [rng.integers(0, 256, (64, 64), dtype=np.uint8) for _ in range(20)]
    path = make_video(noise)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(VideoError, match=r"made\.mp4: .*cut off"):
        read(path, Size(64, 64), 20)


def test_a_video_cut_off_before_its_index_is_refused(make_video) -> None:
    path = make_video([gradient(64, 64)] * 3)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(VideoError, match=r"made\.mp4: no"):
        read(path, Size(64, 64))


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), layout="mono")
        sound.sample_rate = 8000
        container.mux(stream.encode(sound))
    with pytest.raises(VideoError, match=r"no video stream \(found: audio\)"):
        read(path, Size(16, 16))


def test_a_video_without_frames_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.y4m"
    path.write_bytes(b"YUV4MPEG2 W16 H16 F25:1 Ip A1:1 C420jpeg\n")
    with pytest.raises(VideoError, match="holds no frames"):
        read(path, Size(16, 16))


@pytest.mark.parametrize("content", [b"", b"not a video at all", bytes(4096)])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.mp4"
    path.write_bytes(content)
    with pytest.raises(VideoError, match=r"other\.mp4: not a video file"):
        read(path, Size(16, 16))


def test_missing_files_directories_and_cameras_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="no such file"):
        read(tmp_path / "none.mp4", Size(16, 16))
    with pytest.raises(VideoError, match="is a directory"):
        read(tmp_path, Size(16, 16))
    with pytest.raises(VideoError, match="/dev/video987: no such camera"):
        list(read_frames(Source.device(987), Size(16, 16), 1))
    with pytest.raises(ParameterError, match="device -1"):
        Source.device(-1)


@pytest.mark.parametrize("text", ["", "vga", "160", "160x", "0x0", "7x100", "100x5000", "-1x5"])
def test_sizes_outside_the_range_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="resolution"):
        Size.parse(text)


def test_sizes_by_name_and_by_number() -> None:
    assert Size.parse("QQVGA") == Size(160, 120) == Size.parse("160x120")
    assert Size.parse("qvga") == Size(320, 240)


def test_a_cut_off_video_that_counts_no_frames_is_refused(make_video) -> None:
    rng = np.random.default_rng(2)
    noise = [rng.integers(0, 256, (64, 64), dtype=np.uint8) for _ in range(40)]
    path = make_video(noise, "made.mkv")
    assert len(read(path, Size(64, 64), 100)) == len(noise)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 6 // 10])
    with pytest.raises(VideoError, match=r"cut off: its header promises 1\.6 seconds"):
        read(path, Size(64, 64), 100)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_short_video_that_counts_no_frames_is_whole(make_video, count: int) -> None:
    path = make_video([gradient(32, 32)] * count, "made.mkv")
    assert len(read(path, Size(32, 32), 50)) == count
