"""Ringwright: an open workbench for homomorphic-encryption accelerators.

The face, by what it is for:

`ckks`       `Parameters`, `Client` (holds the secret key), `Plaintext`, `Ciphertext`, keys
`interop`    ciphertexts and keys of other libraries, both ways
`program`    decorator: a Python function over encrypted vectors, traced into an `he` program
`Diagonals`  a matrix by its diagonals, for programs
`Server`     runs programs on ciphertexts with evaluation keys only
`Checks`     what is compared where a simulated machine's values are this computer's
`precision`  how many bits of a result are right
`oracle`     how long a program takes on a simulated machine, without running it
`placed`     a program with its bootstrappings where a simulated machine takes least time
`compare`    one program on several machines: time, bytes, what holds it up, rooflines
`Batch`      from how many runs on a device behind a link is worth it
`system`     `Stage`, `Job`, `schedule`, `measure`, `Stopwatch`: where the time of a system goes
`Ledger`, `Timeline`       what a schedule or a run says about time; tables, JSON, Perfetto traces
`machines`, `links`, `targets`, `machine`, `link`       descriptions that ship, or yours
`cost_of`    what a machine costs in silicon: area, clock, energy, each as a range
`rtl`        the hardware: its blocks mapped onto standard cells
`doctor`     what was found on this computer and what will be skipped
`RingwrightError` and its subclasses       everything that is refused

Time is integer femtoseconds (`*_fs`) everywhere; every time carries its provenance.
"""

from ringwright import ckks, errors, interop, rtl, system
from ringwright._ringwright import __version__
from ringwright.compare import Batch, Compared, compare
from ringwright.diagonals import Diagonals
from ringwright.doctor import Fact, doctor
from ringwright.errors import (
    DepthError,
    FormatError,
    KeyMismatchError,
    MachineError,
    MismatchError,
    MissingToolError,
    ParameterError,
    PrecisionError,
    ProgramError,
    RingwrightError,
    ScheduleError,
    SecurityError,
    StaleCaptureError,
    StorageError,
)
from ringwright.explanation import Explanation
from ringwright.ledger import Entry, Ledger
from ringwright.machines import (
    Host,
    Link,
    Machine,
    System,
    Target,
    host,
    hosts,
    link,
    links,
    machine,
    machines,
    systems,
    targets,
)
from ringwright.oracle import Latency, OperationLatency, latency_table, oracle
from ringwright.placing import Placement, placed
from ringwright.plain import Plain
from ringwright.precision import Precision, precision
from ringwright.program import Program, program
from ringwright.server import OperationTime, Run, Server
from ringwright.silicon import Cost, Energy, cost_of
from ringwright.spot_checks import Checked, Checks
from ringwright.system_server import Dealt, SystemServer
from ringwright.timeline import Span, Timeline
from ringwright.vector import Vector
from ringwright.watching import watching

__all__ = [
    "Batch",
    "Checked",
    "Checks",
    "Compared",
    "Cost",
    "Dealt",
    "DepthError",
    "Diagonals",
    "Energy",
    "Entry",
    "Explanation",
    "Fact",
    "FormatError",
    "Host",
    "KeyMismatchError",
    "Latency",
    "Ledger",
    "Link",
    "Machine",
    "MachineError",
    "MismatchError",
    "MissingToolError",
    "OperationLatency",
    "OperationTime",
    "ParameterError",
    "Placement",
    "Plain",
    "Precision",
    "PrecisionError",
    "Program",
    "ProgramError",
    "RingwrightError",
    "Run",
    "ScheduleError",
    "SecurityError",
    "Server",
    "Span",
    "StaleCaptureError",
    "StorageError",
    "System",
    "SystemServer",
    "Target",
    "Timeline",
    "Vector",
    "__version__",
    "ckks",
    "compare",
    "cost_of",
    "doctor",
    "errors",
    "host",
    "hosts",
    "interop",
    "latency_table",
    "link",
    "links",
    "machine",
    "machines",
    "oracle",
    "placed",
    "precision",
    "program",
    "rtl",
    "system",
    "systems",
    "targets",
    "watching",
]
