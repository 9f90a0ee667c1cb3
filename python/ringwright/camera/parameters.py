"""Which parameter set a run takes: the one named, the cheapest of a ring degree, or the default."""

from __future__ import annotations

import ringwright as rw
from ringwright.camera.programs import Mode
from ringwright.errors import ParameterError

#: Two towers of 30 bits are the least that carries one multiplication.
DEFAULT = "4096-2x30"

#: Multiplications after one another that a mode needs.
_DEPTH: dict[Mode, int] = {"motion": 1, "alarm": 1, "blur": 1, "none": 0}


def choose_parameters(name: str | None, n: int | None, mode: Mode) -> rw.ckks.Parameters:
    """The preset `name`, or the one of degree `n` with the fewest towers that carries `mode`.

    Raises `ParameterError` for an unknown name or degree, and `DepthError` where the set, or every
    set of the degree, multiplies less deep than `mode` needs; it names the smallest N that can.
    """
    if name is not None and n is not None:
        raise ParameterError(f"params {name!r} and n {n} given; one of them allowed")
    if n is None:
        return _deep_enough(rw.ckks.Parameters.preset(name or DEFAULT), mode)
    presets = [rw.ckks.Parameters.preset(preset) for preset in rw.ckks.Parameters.presets()]
    fitting = [preset for preset in presets if preset.n == n]
    if not fitting:
        allowed = ", ".join(map(str, sorted({preset.n for preset in presets})))
        power = "" if n > 0 and n & (n - 1) == 0 else " is no power of two"
        raise ParameterError(f"n {n}{power}: expected one of {allowed}")
    able = [preset for preset in fitting if preset.depth >= _DEPTH[mode]]
    return _deep_enough(min(able or fitting, key=lambda preset: preset.levels), mode)


def _deep_enough(parameters: rw.ckks.Parameters, mode: Mode) -> rw.ckks.Parameters:
    parameters.require_depth(_DEPTH[mode])
    return parameters
