"""Runs the frames of repro/gates.toml again, in RTL, and writes what they took. Minutes.

Usage: `python scripts/gates.py`. hw/test_soc.py compares some of them at every run of the tests.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from rich.progress import track

from ringwright.reproduce.gates import PATH, Frame, frames

HEAD = """\
# Cycles of one frame, a message to a ciphertext, by what the firmware did: counted in RTL, memory
# answers after 48 of them. scripts/gates.py writes this file.
"""


def text(frame: Frame) -> str:
    phases = ", ".join(f"{name} = {cycles:_}" for name, cycles in frame.phases.items())
    named = (
        f'host = "{frame.host}"\nmachine = "{frame.machine}"\nuse = "{frame.use}"\nn = {frame.n:_}'
    )
    return f"\n[[frame]]\n{named}\nphases = {{ {phases} }}\n"


def main() -> int:
    made = list(frames())
    for index, frame in enumerate(track(made, "frames")):
        done = frame.simulation().run()
        if done.wrong:
            print(f"{frame}: {done.wrong}", file=sys.stderr)
            return 1
        made[index] = replace(frame, phases=done.phases)
        PATH.write_text(HEAD + "".join(map(text, made)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
