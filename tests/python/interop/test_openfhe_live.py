"""Against OpenFHE itself, in a CPython 3.10 of its own (see openfhe_peer.py): made there, computed
here, decrypted there, and the reverse. Secret keys stay on their side."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ringwright as rw
from ringwright.interop import openfhe

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("openfhe_peer.py")
#: Where `make .venv/.peers` puts it.
ENVIRONMENT = Path(sys.prefix) / "openfhe" / "bin" / "python"
LOG_SCALE = 50
STEPS = (1, -2)
#: Chosen here, at 128 bits: two digits of two towers, the special primes as OpenFHE takes them.
OURS = rw.ckks.Parameters(
    name="ours", log_n=14, q_bits=[60, 50, 50, 50], p_bits=[60] * 2, digit=2, log_scale=LOG_SCALE
)
#: One machine of every target, whose words hold the primes: of Medha all RPAUs have 60 bits.
MACHINES = (
    rw.machine("cpu"),
    rw.machine("medha-u250").with_values("medha-60bit", wide_rpaus=10),
    rw.machine("rise-32bfu-60bit"),
    rw.machine("rpu-128x128"),
)
#: Those that draw samples, so that keys are made and vectors encrypted there.
CLIENTS = ("cpu", "rise-32bfu-60bit")
#: Noise of some hundreds times sqrt(N/2) over 2^50, and OpenFHE's own flooding.
TOLERANCE = 2.0**-24


def interpreter() -> str:
    """A CPython that has OpenFHE; skips where there is none."""
    for candidate in (str(ENVIRONMENT), shutil.which("python3.10")):
        if candidate and Path(candidate).exists():
            asked = subprocess.run([candidate, "-c", "import openfhe"], capture_output=True)
            if asked.returncode == 0:
                return candidate
    pytest.skip("needs OpenFHE in a CPython 3.10: make .venv/.peers, or python3.10 on PATH with it")


class Peer:
    """The script's process, and the folder that both use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        pipe = subprocess.PIPE
        command = [interpreter(), str(SCRIPT), str(folder)]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.slots = self.answer()
        keys = self.read("public"), self.read("mult")
        self.parameters = openfhe.read_parameters(*keys, log_scale=LOG_SCALE)

    @property
    def message(self) -> NDArray[np.float64]:
        return (7 * np.arange(self.slots) % 64 - 32) / 32

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def answer(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def ask(self, *words: str) -> Any:
        assert self.process.stdin
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    made = Peer(tmp_path_factory.mktemp("openfhe"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """A process that knows nothing but the context that we wrote for parameters of ours."""
    made = Peer(tmp_path_factory.mktemp("adopted"))
    made.write("context.new", openfhe.write_context(OURS))
    made.slots = made.ask("adopt", "context.new")
    yield made
    made.close()


@rw.program
def square_and_rotate(x: rw.Vector) -> rw.Vector:
    return (x * x).rotate(-2)


def test_parameters(peer: Peer) -> None:
    params = peer.parameters
    assert params.security.bits >= 128
    assert (params.slots, params.levels, params.digit) == (peer.slots, 3, 2)


def test_every_target_is_asked() -> None:
    asked = {machine.target for machine in MACHINES}
    assert asked == {target.name for target in rw.targets()}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@pytest.mark.parametrize("suffix", ["", ".map"])
def test_made_there_computed_here_decrypted_there(
    peer: Peer, suffix: str, machine: rw.Machine
) -> None:
    keys = openfhe.read_keys(
        peer.parameters,
        relinearisation=peer.read(f"mult{suffix}"),
        rotations=peer.read(f"rotations{suffix}"),
    )
    fresh = openfhe.read_ciphertext(peer.read("fresh"), peer.parameters)
    result = rw.Server(keys, machine).run(square_and_rotate, fresh).value
    assert result.level == peer.parameters.levels - 1
    peer.write("result", openfhe.write_ciphertext(result, peer.read("low")))
    given = peer.ask("decrypt", "result")
    np.testing.assert_allclose(given, np.roll(peer.message**2, 2), atol=TOLERANCE)


@pytest.mark.parametrize("machine", CLIENTS)
def test_made_here_computed_there_decrypted_here(peer: Peer, machine: str) -> None:
    alice = rw.ckks.Client(peer.parameters, machine)

    @rw.program
    def needs(x: rw.Vector) -> rw.Vector:
        return x * x + x.rotate(STEPS[0]) + x.rotate(STEPS[1])

    keys = alice.keys_for(needs)
    mult = openfhe.write_relinearisation_key(keys, peer.read("mult.map"))
    peer.write("mult.new", mult)
    peer.write("rotations.new", openfhe.write_rotation_keys(keys, peer.read("rotations.map")))
    peer.write("public.new", openfhe.write_public_key(alice.public_key, peer.read("public")))
    values = np.random.default_rng(1).uniform(-1, 1, peer.slots)
    peer.write("ours", openfhe.write_ciphertext(alice.encrypt(values), peer.read("fresh")))
    peer.ask("square_and_rotate", "ours", "computed")
    computed = openfhe.read_ciphertext(peer.read("computed"), peer.parameters)
    np.testing.assert_allclose(alice.decrypt(computed), np.roll(values**2, 2), atol=TOLERANCE)
    peer.ask("square", "ours", "three_parts")
    three_parts = openfhe.read_ciphertext(peer.read("three_parts"), peer.parameters)
    np.testing.assert_allclose(alice.decrypt(three_parts), values**2, atol=TOLERANCE)
    peer.ask("encrypt", "theirs")
    theirs = openfhe.read_ciphertext(peer.read("theirs"), peer.parameters)
    np.testing.assert_allclose(alice.decrypt(theirs), peer.message, atol=TOLERANCE)


@pytest.mark.parametrize("machine", CLIENTS)
def test_a_public_key_of_theirs_encrypts_here(peer: Peer, machine: str) -> None:
    public = openfhe.read_public_key(peer.read("public"), peer.parameters)
    sender = rw.ckks.Sender(public, machine)
    values = np.random.default_rng(2).uniform(-1, 1, peer.slots)
    peer.write("sent", openfhe.write_ciphertext(sender.encrypt(values), peer.read("fresh")))
    np.testing.assert_allclose(peer.ask("decrypt", "sent"), values, atol=TOLERANCE)


def test_their_keys_in_a_context_of_ours(adopted: Peer) -> None:
    """OpenFHE computes the tables and special primes again, and comes to ours."""
    assert adopted.slots == OURS.slots
    given = adopted.read("public"), adopted.read("mult"), adopted.read("rotations")
    assert openfhe.read_parameters(*given[:2], log_scale=LOG_SCALE) == OURS
    keys = openfhe.read_keys(OURS, relinearisation=given[1], rotations=given[2])
    fresh = openfhe.read_ciphertext(adopted.read("fresh"), OURS)
    result = rw.Server(keys).run(square_and_rotate, fresh).value
    adopted.write("result", openfhe.write_ciphertext(result))
    given = adopted.ask("decrypt", "result")
    np.testing.assert_allclose(given, np.roll(adopted.message**2, 2), atol=TOLERANCE)


def test_our_keys_in_a_context_of_ours(adopted: Peer) -> None:
    alice = rw.ckks.Client(OURS)
    keys = alice.keys_for(square_and_rotate)
    adopted.write("mult.new", openfhe.write_relinearisation_key(keys, tag="alice"))
    adopted.write("rotations.new", openfhe.write_rotation_keys(keys, tag="alice"))
    adopted.write("public.new", openfhe.write_public_key(alice.public_key, tag="alice"))
    values = np.random.default_rng(3).uniform(-1, 1, OURS.slots)
    adopted.write("ours", openfhe.write_ciphertext(alice.encrypt(values), tag="alice"))
    adopted.ask("square_and_rotate", "ours", "computed")
    computed = openfhe.read_ciphertext(adopted.read("computed"), OURS)
    np.testing.assert_allclose(alice.decrypt(computed), np.roll(values**2, 2), atol=TOLERANCE)
    adopted.ask("encrypt", "theirs")
    theirs = openfhe.read_ciphertext(adopted.read("theirs"), OURS)
    np.testing.assert_allclose(alice.decrypt(theirs), adopted.message, atol=TOLERANCE)
