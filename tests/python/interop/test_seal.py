"""SEAL's formats on golden data (vectors/interop/seal): no SEAL needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright.interop import seal
from ringwright.plain_vector import PlainVector

GOLDEN = Path(__file__).resolve().parents[3] / "vectors" / "interop" / "seal"
LOG_SCALE = 30
N = 16


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


@pytest.fixture(scope="module")
def params() -> rw.ckks.Parameters:
    return seal.read_parameters(golden("parameters.seal"), log_scale=LOG_SCALE, insecure=True)


def test_parameters(params: rw.ckks.Parameters) -> None:
    assert (params.n, params.levels, len(params.p)) == (N, 3, 1)
    assert params.scale == 2.0**LOG_SCALE
    with pytest.raises(rw.SecurityError, match="SEAL"):
        seal.read_parameters(golden("parameters.seal"), log_scale=LOG_SCALE)
    again = seal.read_parameters(
        seal.write_parameters(params), log_scale=LOG_SCALE, insecure=True, name="again"
    )
    assert again == params


def test_a_ciphertext_keeps_its_words_and_takes_bounds(params: rw.ckks.Parameters) -> None:
    fresh = seal.read_ciphertext(golden("fresh.seal"), params, maximum=2.0)
    assert (fresh.level, fresh.scale, fresh.max, fresh.rms) == (3, 2.0**LOG_SCALE, 2.0, 2.0)
    assert seal.write_ciphertext(fresh) == golden("fresh-none.seal")
    low = seal.read_ciphertext(golden("low.seal"), params, rms=0.5, noise=3.0)
    assert (low.level, low.max, low.rms, low.noise) == (2, 1.0, 0.5, 3.0)


def test_versions(params: rw.ckks.Parameters) -> None:
    assert seal.version_of(golden("fresh.seal")) == (4, 1)
    assert seal.version_of(seal.write_parameters(params, version=(4, 3))) == (4, 3)
    with pytest.raises(rw.FormatError, match=r"SEAL: version = 3.7, allowed: 4.x"):
        seal.write_parameters(params, version=(3, 7))


def test_keys(params: rw.ckks.Parameters) -> None:
    keys = seal.read_keys(
        params,
        relinearisation=golden("relinearisation_key.seal"),
        rotations=golden("galois_keys.seal"),
    )
    assert keys.names == ["mult", "galois 3", "galois 9", f"galois {2 * N - 1}"]
    again = seal.read_keys(
        params,
        relinearisation=seal.write_relinearisation_key(keys),
        rotations=seal.write_rotation_keys(keys),
    )
    assert again.to_bytes() == keys.to_bytes()
    rotations_only = seal.read_keys(params, rotations=golden("galois_keys.seal"))
    with pytest.raises(rw.KeyMismatchError, match="keys given: galois 3, galois 9"):
        seal.write_relinearisation_key(rotations_only)


@pytest.mark.parametrize("machine", ["cpu", "rpu-8x8"])
def test_seals_keys_serve_on_every_machine(params: rw.ckks.Parameters, machine: str) -> None:
    """The golden secret stays where it is: every machine's words are the reference's."""

    @rw.program
    def square_and_rotate(x: rw.Vector) -> rw.Vector:
        return seal.rotate(seal.rotate(x * x, 1), 2)

    given = golden("relinearisation_key.seal"), golden("galois_keys.seal")
    keys = seal.read_keys(params, relinearisation=given[0], rotations=given[1])
    fresh = seal.read_ciphertext(golden("fresh.seal"), params, maximum=2.0)
    results = [rw.Server(keys, on).run(square_and_rotate, fresh) for on in ("cpu-1", machine)]
    reference, result = (seal.write_ciphertext(run.value) for run in results)
    assert result == reference


def test_rotations_of_seals_in_the_clear(params: rw.ckks.Parameters) -> None:
    """Complex values show a conjugation too many or too few."""
    values = np.arange(params.slots) * (1 - 0.5j)
    for steps in range(-params.slots, 2 * params.slots):
        for own_key in (False, True):
            slots = PlainVector(seal.to_slots(values, params))
            turned = seal.rotate(slots, steps, own_key=own_key).values
            np.testing.assert_array_equal(seal.from_slots(turned, params), np.roll(values, -steps))


def test_rotations_take_seals_own_keys(params: rw.ckks.Parameters) -> None:
    """Of 3 and 9: one and two steps; the program's result is SEAL's."""

    @rw.program
    def rotated(x: rw.Vector) -> rw.Vector:
        return seal.rotate(seal.rotate(x, 1), 2)

    keys = seal.read_keys(params, rotations=golden("galois_keys.seal"))
    fresh = seal.read_ciphertext(golden("fresh.seal"), params, maximum=2.0)
    rw.Server(keys).run(rotated, fresh)
    assert rotated.trace(params).required_keys() == ["galois 3", "galois 9"]
    of_three = rw.program(lambda x: seal.rotate(x, 3, own_key=True))
    with pytest.raises(rw.KeyMismatchError, match="galois 27"):
        rw.Server(keys).run(of_three, fresh)


def test_a_senders_vector_comes_out_in_seals_order(params: rw.ckks.Parameters) -> None:
    alice = rw.ckks.Client(params)
    values = np.arange(1, 1 + params.slots) * (1 - 0.5j) / params.slots
    sender = rw.ckks.Sender(alice.public_key)
    encrypted = sender.encrypt(seal.to_slots(values, params))
    decrypted = alice.decode(alice.decrypt_plaintext(encrypted), imag=True)
    np.testing.assert_allclose(seal.from_slots(decrypted, params), values, atol=1e-5)
    assert not np.allclose(decrypted, values, atol=1e-2)


def test_what_is_refused_says_why(params: rw.ckks.Parameters) -> None:
    with pytest.raises(rw.FormatError, match="no object of SEAL's"):
        seal.read_ciphertext(b"PK" * 40, params)
    with pytest.raises(rw.FormatError, match=r"SEAL: ciphertext: \d+ bytes where the header"):
        seal.read_ciphertext(golden("fresh.seal")[:-1], params)
    with pytest.raises(rw.FormatError, match="SEAL: compression = 7"):
        seal.read_ciphertext(golden("fresh.seal")[:5] + b"\7" + golden("fresh.seal")[6:], params)
    other = rw.ckks.Parameters(
        log_n=4, q_bits=[40] * 3, p_bits=[42], log_scale=30, insecure=True, name="other"
    )
    with pytest.raises(rw.KeyMismatchError, match=r"SEAL: .*expected \w+ \(other\)"):
        seal.read_public_key(golden("public_key.seal"), other)
    with pytest.raises(rw.ParameterError, match="one special prime"):
        seal.write_parameters(rw.ckks.Parameters.preset("4096-3x30"))
    with pytest.raises(rw.ParameterError, match=r"slots of shape \(3,\)"):
        seal.from_slots([1, 2, 3], params)
    with pytest.raises(rw.ParameterError, match="of 12 slots given; a power of two"):
        seal.rotate(PlainVector(np.ones(12)), 1)
    with pytest.raises(rw.ParameterError, match="at most 8"):
        seal.to_slots(np.ones(9), params)
