"""Videos made on the spot, and one small film that several tests look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from ringwright import camera

MakeVideo = Callable[..., Path]


@pytest.fixture
def make_video(tmp_path: Path) -> MakeVideo:
    """Writes grey pictures (height, width; uint8), almost lossless, as an mp4, index first."""

    def make(pictures: Sequence[NDArray[np.uint8]], name: str = "made.mp4", **options: str) -> Path:
        path = tmp_path / name
        height, width = pictures[0].shape
        with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=25)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            stream.options = {"crf": "1", "preset": "ultrafast", **options}
            for picture in pictures:
                frame = av.VideoFrame.from_ndarray(picture, format="gray")
                container.mux(stream.encode(frame.reformat(format="yuv420p")))
            container.mux(stream.encode(None))
        return path

    return make


@pytest.fixture(scope="session")
def motion_film() -> camera.Film:
    """Four frames of the bundled clip, three ciphertexts each."""
    return camera.film(camera.Options(size=camera.Size(96, 64), frames=4))
