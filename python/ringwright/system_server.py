"""The server of a system: programs on several devices, ciphertexts dealt to them in turn.

The system's file says which devices the server has, which host serves each, and over which links
operands and results travel. Every request is computed on its device, and is a job of its own in
time: its ciphertexts come over the network, cross the device's link, are worked on, and go back the
same way. Requests wait for each other where they need the same link or device, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ringwright import _ringwright as native
from ringwright import system
from ringwright.ckks import Ciphertext, EvaluationKeys
from ringwright.errors import MachineError
from ringwright.machines import Host, Link, System
from ringwright.machines import backend as made_ready
from ringwright.plain import Plain
from ringwright.program import Program
from ringwright.server import Run, Server
from ringwright.spot_checks import Checks
from ringwright.system import Resource, Stages

__all__ = ["Dealt", "SystemServer", "host_of"]

#: Of the setup, on this computer.
_SERVER = Resource("server", "host")


@dataclass(frozen=True)
class _Request:
    """A run, the device that did it, and bytes on its way."""

    run: Run
    device: native.Device
    #: Over the network: to the server, and back.
    network: tuple[int, int]
    #: Over the link of a simulated device: "ciphertexts", "plain", "results", "keys", "constants".
    moved: dict[str, int]


@dataclass(frozen=True)
class Dealt(system.Scheduled):
    """Runs of one program on the devices of a system, and their time together.

    `runs`: in the order of the requests; `network`: what carries their ciphertexts.
    """

    program: str
    network: Link
    requests: tuple[_Request, ...]

    def __repr__(self) -> str:
        devices = len({request.device.name for request in self.requests})
        said = f"{len(self.requests)} requests on {devices} devices"
        return f"<{self.program}: {said}, {self.ledger.summary}>"

    @property
    def runs(self) -> tuple[Run, ...]:
        """One a request."""
        return tuple(request.run for request in self.requests)

    @property
    def values(self) -> tuple[Ciphertext, ...]:
        """The only result of each; `ProgramError` where the program returns several."""
        return tuple(run.value for run in self.runs)

    @cached_property
    def schedule(self) -> system.Schedule:
        """Set-up: preparing, and keys to the devices; then a job for each request."""
        jobs = [self._job(request) for request in self.requests]
        return system.schedule(jobs, setup=self._setup(), in_flight=len(jobs))

    def _setup(self) -> Stages:
        stages = Stages()
        after: list[int] = []
        prepare_fs = sum(run.prepare_fs for run in self.runs)
        if prepare_fs:
            name = f"prepare {self.program}"
            after = [stages.append(system.Stage(name, "host", _SERVER, prepare_fs, "measured"))]
        used = {request.device.name: request for request in self.requests}
        for request in used.values():
            device, host, timing = request.device, request.run.host, request.run.timing
            if timing is None or host is None:
                continue
            station = _station(device, host)
            if device.link:
                keys = request.moved["keys"] + request.moved["constants"]
                stages.set_up(station, device.link, timing, keys, after=after)
            elif timing.set_up:
                stages.run_folded(station, timing.set_up, after=after)
        return stages

    def _job(self, request: _Request) -> Stages:
        stages, device, run = Stages(), request.device, request.run
        up, down = request.network
        last = self._sent(stages, "uplink", up, [])
        if run.timing is None or run.host is None:
            last = [stages.append(run.stage(Resource(device.name, "host"), last))]
        else:
            station = _station(device, run.host)
            if device.link:
                operands = request.moved["ciphertexts"] + request.moved["plain"]
                moved = (operands, request.moved["results"])
                last = [stages.offload(station, device.link, run.timing, *moved, after=last)]
            else:
                last = [stages.run_folded(station, run.timing, after=last)]
        self._sent(stages, "downlink", down, last)
        return stages

    def _sent(self, stages: Stages, name: str, size: int, after: Sequence[int]) -> list[int]:
        place = Resource(name, "link")
        sent = system.transfer(name, self.network, size, resource=place, after=after)
        return [stages.append(sent)]


def _station(device: native.Device, host: Host) -> system.Station:
    """The device with a controller of its own."""
    controller = Resource(f"{device.name} controller", "host", part_of=device.name)
    return system.Station(device.name, host, processor=controller)


class SystemServer:
    """Holds evaluation keys and the devices of a system's server. `described`: a name, a path, or a
    `System`; `values`: as for `Server`, of every simulated device.

    Raises `MachineError` where the description is wrong, or where a simulated device has no host.
    """

    def __init__(
        self, keys: EvaluationKeys, described: str | System, values: str | Checks = "cpu"
    ) -> None:
        self.system = described if isinstance(described, System) else System.load(described)
        self._devices = self.system.server
        self._servers = [_server(keys, self.system, device, values) for device in self._devices]

    def __repr__(self) -> str:
        return f"SystemServer({self._servers[0].parameters.name!r}, {self.system.name!r})"

    def deal(self, program: Program, requests: Sequence[Sequence[Ciphertext | Plain]]) -> Dealt:
        """Runs a program on each list of inputs; the devices take them in turn.

        Raises what `Server.run` raises, and `ScheduleError` for no requests.
        """
        made = tuple(
            self._request(index % len(self._devices), program, inputs)
            for index, inputs in enumerate(requests)
        )
        return Dealt(program.name, self.system.network, made)

    def _request(
        self, index: int, program: Program, inputs: Sequence[Ciphertext | Plain]
    ) -> _Request:
        server, device = self._servers[index], self._devices[index]
        run = server.run(program, *inputs)
        up = sum(len(each.to_bytes()) for each in inputs if isinstance(each, Ciphertext))
        down = sum(len(each.to_bytes()) for each in run.values)
        moved = server.prepare(program, *inputs).traffic_bytes
        return _Request(run, device, (up, down), moved or {})


def host_of(described: System, device: native.Device) -> Host | None:
    """The host that serves a device; `None` where the machine is real and needs none.

    Raises `MachineError` where a simulated one has none.
    """
    if device.host is None and made_ready(device.machine).bytes_per_word is not None:
        raise MachineError(
            f"system {described.name}: devices.{device.name}: machine {device.machine.name} is "
            "simulated and needs a host, which does what it leaves to it"
        )
    return device.host


def _server(
    keys: EvaluationKeys, described: System, device: native.Device, values: str | Checks
) -> Server:
    host = host_of(described, device)
    if host is None:
        return Server(keys, device.machine, values=values)
    return Server(keys, device.machine, host, values=values)
