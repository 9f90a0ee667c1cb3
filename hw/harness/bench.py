"""Runs a cocotb bench on one configuration of a module.

The seed is fixed unless `--rtl-seed` gives one; a failure prints it with the end of the log.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from .model import Kind, build, with_waves
from .toolchain import environment

if TYPE_CHECKING:
    from .sources import Parameters

_PARAMETERS = "RINGWRIGHT_BENCH_PARAMETERS"


def parameters() -> dict[str, int | str]:
    """Inside a bench: the parameters of the module under test."""
    return json.loads(os.environ[_PARAMETERS])


def run_bench(module: str, top: str, settings: Parameters, seed: int, waves: bool = False) -> None:
    """Runs every cocotb test of a Python module on `top`; raises `AssertionError` on a failure.

    With `waves` the log names the file of waves, and so does what this prints.
    """
    from cocotb_tools.config import libs_dir, share_dir
    from cocotb_tools.runner import get_results, get_runner

    libraries = f"-Wl,-rpath,{libs_dir} -L{libs_dir} -lcocotbvpi_verilator"
    # What cocotb can see is not split; lint, without cocotb, still insists on both.
    visible = ["--public-depth", "1", "-Wno-SPLITVAR", "-Wno-UNOPTFLAT"]
    options = ["--vpi", *visible, "-LDFLAGS", libraries]
    main = Path(share_dir) / "lib" / "verilator" / "verilator.cpp"
    folder = build(top, settings, with_waves(Kind("cocotb", top, options, [main]), waves))
    log = folder / f"{module}.log"
    results = get_runner("verilator").test(
        test_module=module,
        hdl_toplevel=top,
        hdl_toplevel_lang="verilog",
        build_dir=folder,
        test_dir=folder,
        results_xml=str(folder / f"{module}.xml"),
        seed=seed,
        test_args=[
            *("+verilator+rand+reset+2", f"+verilator+seed+{seed % (1 << 30) + 1}"),
            *(["--trace"] if waves else []),
        ],
        extra_env={**environment(), _PARAMETERS: json.dumps(settings)},
        log_file=log,
    )
    if waves:
        print(f"waves: {folder / 'dump.vcd'}")
    ran, failed = get_results(results)
    tail = "\n".join(log.read_text().splitlines()[-60:])
    assert ran > 0, f"{module} holds no test\n{tail}"
    assert failed == 0, f"{top} {settings}, --rtl-seed={seed}\n{tail}"
