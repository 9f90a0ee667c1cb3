"""Cuts the bundled clip: a short, grey, small piece of a longer film.

    python -m ringwright.camera.clip SOURCE OUT

`data/README.md` names the film, its licence and the attribution. The piece starts almost still and
ends in a burst of motion, so a motion score has something to show.
"""

from __future__ import annotations

import sys
from pathlib import Path

import av

from ringwright.camera.video import VideoError

#: The clip that ships with the package.
BUNDLED = Path(__file__).parent / "data" / "bigbuckbunny-qvga.mp4"

#: What its licence asks to stand beside it.
CREDIT = "(c) copyright 2008, Blender Foundation / www.bigbuckbunny.org, CC BY 3.0"

WIDTH, HEIGHT = 320, 240
#: Every second picture of the 25 frames/s source, from here on.
FIRST, STEP, COUNT = 58, 2, 37
#: Left edge of the 4:3 window, as a fraction of what does not fit: the hero stands left of centre.
WINDOW = 0.2


def cut(source: Path, out: Path) -> int:
    """Writes the clip to `out` (H.264, colourless); returns its size in bytes."""
    with av.open(str(source)) as film, av.open(str(out), "w", format="mp4") as clip:
        stream = clip.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.options = {"crf": "18", "preset": "veryslow", "threads": "1"}
        kept = 0
        for index, picture in enumerate(film.decode(video=0)):
            if index < FIRST or (index - FIRST) % STEP or kept == COUNT:
                continue
            clip.mux(stream.encode(_window(picture)))
            kept += 1
        clip.mux(stream.encode(None))
    if kept < COUNT:
        raise VideoError(f"{source}: {kept} usable frames, {COUNT} are needed")
    return out.stat().st_size


def _window(picture: av.VideoFrame) -> av.VideoFrame:
    width = round(picture.width * HEIGHT / picture.height)
    luma = picture.reformat(width=width, height=HEIGHT, format="gray").to_ndarray()
    left = round((width - WIDTH) * WINDOW)
    grey = luma[:, left : left + WIDTH].copy()
    return av.VideoFrame.from_ndarray(grey, format="gray").reformat(format="yuv420p")


if __name__ == "__main__":
    print(f"{cut(Path(sys.argv[1]), Path(sys.argv[2]))} bytes")
