"""The papers' claims beside ours: one command per paper, one folder per figure or table.

`repro/<paper>/<figure>/claim.toml` states each published value with its place, unit and
conditions, how ours is computed and which deviation still counts as reproduced. Ours is always
computed, from simulated cycles, a host's costs, links, and published watts and areas; a miss stays
a miss, with its reason.

Reading order: `claims`, `systems`, `studies`, `inputs` (what a value is computed from),
`independence` (which of them say something of their own), `verdict`; `fit` makes the host that the
baseline runs on.
"""

from ringwright.reproduce.claims import Claim, papers
from ringwright.reproduce.verdict import Result, reproduce

__all__ = ["Claim", "Result", "papers", "reproduce"]
