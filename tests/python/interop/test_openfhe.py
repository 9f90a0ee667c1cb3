"""OpenFHE's objects on golden data (vectors/interop/openfhe): no OpenFHE needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright.interop import openfhe

GOLDEN = Path(__file__).resolve().parents[3] / "vectors" / "interop" / "openfhe"
LOG_SCALE = 50


def golden(name: str) -> bytes:
    return (GOLDEN / f"{name}.openfhe").read_bytes()


@pytest.fixture(scope="module")
def params() -> rw.ckks.Parameters:
    keys = golden("public_key"), golden("relinearisation_key")
    return openfhe.read_parameters(*keys, log_scale=LOG_SCALE, insecure=True)


def test_parameters(params: rw.ckks.Parameters) -> None:
    assert (params.n, params.levels, params.digit, len(params.p)) == (16, 3, 2, 2)
    with pytest.raises(rw.SecurityError, match="OpenFHE"):
        openfhe.read_parameters(golden("public_key"), log_scale=LOG_SCALE)


def test_a_client_of_ours_fills_templates(params: rw.ckks.Parameters) -> None:
    alice = rw.ckks.Client(params)
    values = np.arange(params.slots) / params.slots
    written = openfhe.write_ciphertext(alice.encrypt(values), golden("fresh"))
    again = openfhe.read_ciphertext(written, params)
    assert (again.level, again.scale) == (params.levels, params.scale)
    np.testing.assert_allclose(alice.decrypt(again), values, atol=1e-9)
    public = openfhe.write_public_key(alice.public_key, golden("public_key"))
    read = openfhe.read_public_key(public, params)
    assert read.key_id is None
    # OpenFHE's key holds both halves, ours the seed of one; the other half is the same words.
    words = params.n * sum(q.bit_length() for q in params.q) // 8
    theirs, ours = read.to_bytes()[64:-8], alice.public_key.to_bytes()[64:-8]
    assert (len(theirs), len(ours)) == (1 + 2 * words, 1 + words + 32)
    assert theirs[1 : 1 + words] == ours[1 : 1 + words]
    assert openfhe.write_public_key(read, golden("public_key")) == public


def test_keys(params: rw.ckks.Parameters) -> None:
    given = golden("relinearisation_key"), golden("rotation_keys")
    keys = openfhe.read_keys(params, relinearisation=given[0], rotations=given[1])
    turn_back = pow(5, -2, 2 * params.n)
    assert keys.names == ["mult", "galois 5", f"galois {turn_back}"]
    assert openfhe.write_relinearisation_key(keys, given[0]) == given[0]
    assert openfhe.write_rotation_keys(keys, given[1]) == given[1]
    with pytest.raises(rw.KeyMismatchError, match="keys given: none"):
        openfhe.write_relinearisation_key(openfhe.read_keys(params), given[0])


def test_what_is_refused_says_why(params: rw.ckks.Parameters) -> None:
    with pytest.raises(rw.FormatError, match="no object of OpenFHE's"):
        openfhe.read_ciphertext(b"{json", params)
    with pytest.raises(rw.FormatError, match=r"OpenFHE: parts = 1, allowed: 2 or 3"):
        openfhe.read_ciphertext(golden("fresh")[:1200], params)
    with pytest.raises(rw.KeyMismatchError, match=r"OpenFHE: public key made under other"):
        openfhe.read_public_key(golden("relinearisation_key"), params)
    low = openfhe.read_ciphertext(golden("low"), params)
    with pytest.raises(rw.FormatError, match="towers of the template = 3, allowed: 2"):
        openfhe.write_ciphertext(low, golden("fresh"))
