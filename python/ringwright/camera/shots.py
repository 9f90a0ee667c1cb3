"""The few frames that a report shows, chosen while the video runs by."""

from __future__ import annotations

from dataclasses import dataclass

from ringwright.camera.pipeline import Answer
from ringwright.camera.video import Picture


@dataclass(frozen=True)
class Shot:
    """A frame as it was, as the server held it, decrypted, and what came back."""

    index: int
    original: Picture
    stored: Picture
    psnr_db: float
    wire: bytes
    answer: Answer | None


class Album:
    """Keeps the first frame, the most remarkable one, and the last.

    Remarkable: the highest motion score; where there is none, the lowest PSNR.
    """

    def __init__(self) -> None:
        self._first: Shot | None = None
        self._peak: Shot | None = None
        self._last: Shot | None = None

    def add(self, shot: Shot) -> None:
        """Offers a shot; frames come in order."""
        self._first = self._first or shot
        if self._peak is None or _remarkable(shot) > _remarkable(self._peak):
            self._peak = shot
        self._last = shot

    @property
    def shots(self) -> list[Shot]:
        """One to three shots in the order of the video."""
        kept = {s.index: s for s in (self._first, self._peak, self._last) if s is not None}
        return [kept[index] for index in sorted(kept)]


def _remarkable(shot: Shot) -> float:
    if shot.answer is not None and shot.answer.score is not None:
        return shot.answer.score
    return -shot.psnr_db
