"""Who does what in the camera: named one by one, or by a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ringwright as rw
from ringwright import _ringwright as native
from ringwright.camera.evaluation import Attachment
from ringwright.camera.stages import SERVER
from ringwright.errors import MachineError
from ringwright.system_server import host_of


@dataclass(frozen=True)
class Places:
    """Machines, hosts and links; a run for each client."""

    clients: Sequence[rw.Machine]
    client_host: rw.Host
    network: rw.Link
    server: rw.Machine
    attachment: Attachment


def described(system: rw.System, host: rw.Host) -> Places:
    """Those of a system. `host`: stands where no machine is simulated and none is needed.

    The server's devices are alike: one program has one time. Raises `MachineError` where they are
    not, and where simulated ones have no host or no link.
    """
    first, *others = system.server
    controller = host_of(system, first)
    for other in others:
        if _kind(other) != _kind(first):
            raise MachineError(
                f"system {system.name}: devices {first.name} and {other.name} differ in machine, "
                "host or link; the camera's server takes devices that are alike"
            )
    if first.link is None and (others or controller is not None):
        raise MachineError(
            f"system {system.name}: devices.{first.name}: link missing, which brings the camera's "
            "ciphertexts to it"
        )
    names = [f"{SERVER} {device.name}" for device in system.server] if others else [SERVER]
    client = system.client
    link = first.link or system.network
    return Places(
        [client.machine],
        host_of(system, client) or host,
        system.network,
        first.machine,
        Attachment(link, controller or host, names),
    )


def _kind(device: native.Device) -> tuple[object, ...]:
    host, link = device.host, device.link
    return device.machine, host and host.name, link and link.name
