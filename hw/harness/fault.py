"""Faults put into a design on purpose, to show that a proof or a lockstep run finds them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A change to a module's text."""

    module: str
    sound: str
    wrong: str

    def apply(self, text: str) -> str:
        """The module's text with the fault; the sound passage must be there once."""
        assert text.count(self.sound) == 1, f"{self.module} has not one {self.sound!r}"
        return text.replace(self.sound, self.wrong)
