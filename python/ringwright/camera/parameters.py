"""Which parameter set a run takes: the one named, the cheapest of a ring degree, or the default."""

from __future__ import annotations

import ringwright as rw
from ringwright.camera.programs import Mode
from ringwright.errors import ParameterError

#: Two towers of 30 bits are the least that carries one multiplication.
DEFAULT = "4096-2x30"

#: Multiplications after one another that a mode needs.
_DEPTH: dict[Mode, int] = {"motion": 1, "blur": 1, "none": 0}


def choose_parameters(name: str | None, n: int | None, mode: Mode) -> rw.ckks.Parameters:
    """The preset `name`, or the one of degree `n` with the fewest towers that carries `mode`.

    Where no set of degree `n` carries it, the deepest is returned: building the program refuses
    it and names the smallest N that can. Raises `ParameterError` for an unknown name or degree.
    """
    if name is not None and n is not None:
        raise ParameterError(f"params {name!r} and n {n} given; one of them allowed")
    if n is None:
        return rw.ckks.Parameters.preset(name or DEFAULT)
    presets = [rw.ckks.Parameters.preset(preset) for preset in rw.ckks.Parameters.presets()]
    fitting = [preset for preset in presets if preset.n == n]
    if not fitting:
        allowed = ", ".join(map(str, sorted({preset.n for preset in presets})))
        power = "" if n > 0 and n & (n - 1) == 0 else " is no power of two"
        raise ParameterError(f"n {n}{power}: expected one of {allowed}")
    able = [preset for preset in fitting if preset.depth >= _DEPTH[mode]]
    if able:
        return min(able, key=lambda preset: preset.levels)
    return max(fitting, key=lambda preset: preset.depth)
