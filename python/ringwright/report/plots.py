"""Pages with Plotly's plots: its script embedded whole, data as JSON, the page's own colours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ringwright.report.page import text

_FOLDER = Path(__file__).parent
#: What a result's column is called in a picture.
NAMES = {
    "time_us": "time, µs",
    "area_mm2": "area, mm²",
    "energy_uj": "energy, µJ",
    "cycles": "cycles",
    "flipflops": "flip-flops",
    "lut": "look-up tables",
    "dsp": "DSP blocks",
    "bram36": "BRAM36",
    "uram": "URAM",
}


def embedded(name: str, value: Any) -> str:
    """Data for a script of the page, under this id."""
    # JSON that ends no script.
    said = json.dumps(value, sort_keys=True).replace("<", "\\u003c")
    return f"<script type='application/json' id='{text(name)}'>{said}</script>"


def scripts(*names: str) -> str:
    """Plotly, what all plots share, and these scripts of the package."""
    from plotly.offline import get_plotlyjs

    files = [(_FOLDER / name).read_text(encoding="utf-8") for name in ("plots.js", *names)]
    return "\n".join(f"<script>{script}</script>" for script in (get_plotlyjs(), *files))
