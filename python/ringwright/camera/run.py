"""Runs frames through the camera on one machine and sums up what happened.

`fps` is the throughput in the steady state, set by the slowest resource (or, where few frames are
under way at once, by that). `latency_s` is the time from capture to answer of a frame that waits
for no other, `loaded_latency_s` of one among others. All leave out the set-up and the first frame,
which for motion has no result. `tax_share` is that of frames one after the other: how much of their
time is no kernel. `total_fs` and the ledger are of the whole run. Where a host's costs are ranges,
`range` has what they leave open. `checks` has how many calls of kernels were computed on the
server's machine too, where its values are this computer's. `unbuilt` has what no RTL does as it is
timed, `clocks` the period of every simulated machine and whose it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import median
from typing import Any

import ringwright as rw
from ringwright import system
from ringwright.camera.energy import energy, published_energy
from ringwright.camera.host_range import host_range
from ringwright.camera.pipeline import Answer, Camera, FrameRun, Plan
from ringwright.camera.quality import psnr_db
from ringwright.camera.shots import Album, Shot
from ringwright.camera.stages import RESOURCES, SERVER
from ringwright.camera.video import Frame, Picture
from ringwright.comparison import Comparison
from ringwright.spot_checks import together

FS_PER_SECOND = 10**15

#: One machine of results.json.
Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One machine's run: its row in results.json, and what only the report shows."""

    row: Row
    shots: Sequence[Shot]
    timeline: rw.Timeline
    #: By name, those of the set-up too.
    resources: Mapping[str, system.Resource]

    @property
    def correct(self) -> bool:
        """Whether every answer equals the plain circuit."""
        return bool(self.row["answers"]["verdict"] == "correct")


def run_camera(
    plan: Plan,
    frames: Sequence[Frame],
    in_flight: int,
    progress: Callable[[], None] = lambda: None,
) -> Run:
    """Sets the camera up and runs every frame; `progress` is called after each.

    `in_flight`: frames under way at once (1: one after the other, 2: double buffering, 4: each
    resource can work on its own).
    """
    camera = Camera(plan)
    tally = _Tally(plan)
    for frame in frames:
        tally.add(frame, camera.run(frame))
        progress()
    jobs = [run.stages for run in tally.runs]
    whole = system.schedule(jobs, setup=camera.setup, in_flight=in_flight)
    steady_jobs = jobs[1:] or jobs
    steady = system.schedule(steady_jobs, in_flight=in_flight)
    row = {
        **_headline(plan, tally, steady, steady_jobs),
        "total_fs": whole.total_fs,
        "total_provenance": list(whole.ledger.provenances),
        "ledger": whole.ledger.to_dicts(),
        **_details(plan, tally, camera),
        "once": _once(camera.setup, jobs),
        "in_flight": in_flight,
        **_offloading(plan),
        "instructions": tally.instructions(),
        "resources": _resources(steady),
        "unbuilt": _unbuilt(plan, steady),
        "checks": together(tally.checks),
        "clocks": _clocks(plan),
    }
    resources = {resource.name: resource for resource in whole.resources}
    return Run(row, tally.album.shots, whole.timeline, resources)


@dataclass(frozen=True)
class _Sent:
    """What is kept of every frame; pictures are not."""

    stages: system.Stages
    bytes_up: int
    bytes_down: int


class _Tally:
    """Compares every frame with the plain circuit and keeps what the results need."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.runs: list[_Sent] = []
        self.stored = Comparison(plan.computation.stored_error(plan.parameters))
        self.answers = Comparison(plan.computation.result_error(plan.parameters))
        self.motion: list[dict[str, Any]] = []
        self.album = Album()
        #: Femtoseconds of each operation over the run, by the name of its result.
        self.busy: Counter[str] = Counter()
        #: Ciphertexts that the server's program has worked on.
        self.evaluated = 0
        self.checks: list[rw.Checked] = []
        self._before: Picture | None = None

    def add(self, frame: Frame, run: FrameRun) -> None:
        index, picture = len(self.runs), frame.picture
        mse = self.stored.add(run.stored, picture)
        if run.answer is not None:
            self.evaluated += self.plan.computation.packing.ciphertexts
            self._compare(index, picture, run.answer)
        self.album.add(Shot(index, picture, run.stored, psnr_db(mse), run.wire, run.answer))
        self.checks.extend(run.checks)
        for operation in run.operations:
            self.busy[operation.result] += operation.duration_fs
        self.runs.append(_Sent(run.stages, run.bytes_up, run.bytes_down))
        self._before = picture

    @property
    def correct(self) -> bool:
        return self.stored.correct and self.answers.correct and self.answers.values > 0

    def instructions(self) -> dict[str, int]:
        """Executed by the server's machine over the run, by mnemonic; empty where it has none."""
        evaluation = self.plan.evaluation
        of_one = evaluation.instructions if evaluation else {}
        return {name: count * self.evaluated for name, count in of_one.items()}

    def _compare(self, index: int, picture: Picture, answer: Answer) -> None:
        expected = self.plan.computation.plain(picture, self._before)
        self.answers.add(answer.result, expected)
        if answer.score is not None:
            self.motion.append({"frame": index, "score": answer.score, "alarm": answer.alarm})


def _headline(
    plan: Plan,
    tally: _Tally,
    steady: system.Schedule,
    steady_jobs: Sequence[system.Stages],
) -> dict[str, Any]:
    alone = system.schedule(steady_jobs, in_flight=1).ledger
    provenances = {resource["name"]: resource["provenance"] for resource in _resources(steady)}
    everything = list(steady.ledger.provenances)
    jobs = range(len(steady_jobs))
    conversions, ends = plan.edge.conversions_fs(), plan.edge.conversions_range_fs()
    return {
        "name": plan.client.name,
        "server": plan.server.name,
        "fps": steady.throughput_fps,
        "slowest": steady.bottleneck or "frames in flight",
        "latency_s": median(map(steady.latency_alone_fs, jobs)) / FS_PER_SECOND,
        "loaded_latency_s": median(map(steady.latency_fs, jobs)) / FS_PER_SECOND,
        "tax_share": alone.tax_fs / alone.total_fs if alone.total_fs else 0.0,
        "range": host_range(plan, steady, len(steady_jobs)),
        "energy": energy(
            plan.edge.spending(),
            published_energy(plan.client, plan.parameters.n, conversions, ends),
        ),
        "psnr_db": psnr_db(tally.stored.mse),
        "security_bits": plan.parameters.security.bits,
        "security": str(plan.parameters.security),
        "ciphertexts_per_frame": plan.computation.packing.ciphertexts,
        "packing": plan.computation.packing.name,
        "provenance": {
            "fps": provenances.get(steady.bottleneck or "", everything),
            "latency_s": everything,
            "psnr_db": ["measured"],
        },
    }


def _details(plan: Plan, tally: _Tally, camera: Camera) -> dict[str, Any]:
    computation, parameters, link = plan.computation, plan.parameters, plan.link
    return {
        "compute": computation.mode,
        "frames": len(tally.runs),
        "answers": {
            "verdict": "correct" if tally.correct else "WRONG",
            "compared": tally.answers.values,
            "largest_error": tally.answers.largest,
            "allowed_error": tally.answers.allowed,
            "predicted_rms_error": tally.answers.predicted,
            "rms_error": tally.answers.mse**0.5,
            "stored_largest_error": tally.stored.largest,
            "stored_allowed_error": tally.stored.allowed,
        },
        "link": {"name": link.name, "title": link.title, "bits_per_second": link.bits_per_second},
        "bytes": {
            "uplink_per_frame": tally.runs[-1].bytes_up,
            "downlink_per_frame": tally.runs[-1].bytes_down,
            "keys": camera.key_bytes,
        },
        "parameters": {
            "name": parameters.name,
            "n": parameters.n,
            "primes": [prime.bit_length() for prime in parameters.q],
            "special_primes": [prime.bit_length() for prime in parameters.p],
            "log_scale": log2(parameters.scale),
            "log_qp": parameters.security.log_qp,
            "log_qp_limit": parameters.security.limit,
            "security_source": parameters.security.source,
        },
        "operations": _operations(plan, tally.busy),
        **_motion(plan, tally),
    }


def _offloading(plan: Plan) -> dict[str, Any]:
    """What shaped a simulated client's time, and what it leaves out; host `None` if measured."""
    if plan.edge.conversions_fs() is None:
        return {"host": None, "not_timed": []}
    choice = plan.offloading
    return {
        "host": choice.host.name,
        "batch": choice.batch,
        "sampling_overlap": choice.sampling_overlap,
        "not_timed": list(plan.edge.not_timed),
    }


def _clocks(plan: Plan) -> list[dict[str, Any]]:
    """Of every simulated machine its period, and whose that is."""
    works = [plan.client] if plan.evaluation is None else [plan.client, plan.server]
    machines = {machine.name: machine for machine in works}
    return [
        {
            "machine": machine.name,
            "clock_fs": machine.values["clock_fs"],
            "clock_provenance": machine.clock_provenance or "modelled",
        }
        for machine in machines.values()
        if "clock_fs" in machine.values
    ]


def _once(setup: system.Stages, jobs: Sequence[system.Stages]) -> list[str]:
    """Stages of the set-up alone."""
    of_frames = {name for job in jobs for name in job.names}
    return [name for name in setup.names if name not in of_frames]


def _unbuilt(plan: Plan, steady: system.Schedule) -> list[dict[str, Any]]:
    """Moves that no RTL does: their time a frame, and that through the port which the RTL has."""
    moves = plan.evaluation.moves_fs() if plan.evaluation else None
    works = any(r.kind == "device" and r.part_of == SERVER for r in steady.resources)
    if moves is None or not works:
        return []
    ciphertexts = plan.computation.packing.ciphertexts
    own, through_rtl = (ciphertexts * each for each in moves)
    return [
        {
            "what": f"moves of {plan.server.name}",
            "fs_per_frame": own,
            "through_rtl_fs_per_frame": through_rtl,
        }
    ]


def _resources(steady: system.Schedule) -> list[dict[str, Any]]:
    """Busy time a frame on each resource and the frames per second it alone would carry.

    The client, uplink, server, downlink, each followed by what is a part of it.
    """
    loads = {resource.name: (resource, busy, words) for resource, busy, words in steady.loads()}
    in_order = [
        loads[found]
        for place in RESOURCES
        for found in (place, *(name for name, load in loads.items() if load[0].part_of == place))
        if found in loads
    ]
    return [
        {
            "name": resource.name,
            "kind": resource.kind,
            "part_of": resource.part_of,
            "busy_fs_per_frame": busy // steady.jobs,
            "fps": FS_PER_SECOND * steady.jobs / busy,
            "provenance": list(words),
        }
        for resource, busy, words in in_order
        if busy
    ]


def _operations(plan: Plan, busy: Mapping[str, int]) -> list[dict[str, Any]]:
    """The program's operations; one run of it works on one ciphertext of a frame.

    `busy_fs` and its provenance are `None` for what was not measured: inputs, what leaves nothing
    to run, and everything on a machine that does not measure operations.
    """
    if plan.computation.program is None:
        return []
    return [
        {
            "line": row.line,
            "op": row.op,
            "level": row.level,
            "scale_bits": row.scale_bits,
            "noise_bits": row.noise_bits,
            "keys": list(row.keys),
            "busy_fs": busy.get(row.value),
            "provenance": "measured" if row.value in busy else None,
        }
        for row in plan.computation.program.explain(plan.parameters).rows
    ]


def _motion(plan: Plan, tally: _Tally) -> dict[str, Any]:
    if not tally.motion:
        return {}
    thresholds = {"tile_energy": plan.alarm.energy, "score": plan.alarm.share}
    return {"motion": {"thresholds": thresholds, "frames": tally.motion}}
