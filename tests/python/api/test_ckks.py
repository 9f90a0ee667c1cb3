"""Parameters, encoding, encryption, keys and their files."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import LEVELS, LOG_N, LOG_SCALE, PRIME_BITS, slot_error_bound

import ringwright as rw

SEED = bytes(range(32))


def test_parameters_say_what_they_are(params):
    assert (params.log_n, params.n, params.slots) == (LOG_N, 2**LOG_N, 2 ** (LOG_N - 1))
    assert params.levels == len(params.q) == LEVELS
    assert params.depth == LEVELS - 1
    assert params.scale == 2.0**LOG_SCALE
    assert all(q.bit_length() == PRIME_BITS and q % (2 * params.n) == 1 for q in params.q)
    assert params.security.bits == 0
    assert params.security.log_qp == pytest.approx(sum(np.log2(params.q + params.p)))


def test_presets_are_secure_and_cite_their_table():
    for name in rw.ckks.Parameters.presets():
        preset = rw.ckks.Parameters.preset(name)
        assert preset.security.bits is not None
        assert preset.security.bits >= 128
        assert preset.security.log_qp <= preset.security.limit
        assert preset.security.source


def test_both_tables_are_said():
    between = rw.ckks.Parameters.preset("16384-7x54").security
    names = [table for table, *_ in between.verdicts]
    assert names == ["2018", "2024"]
    assert between.bits == 128
    assert "2018: 128 bits" in str(between)
    assert "beyond its 430" in str(between)
    sparse = rw.ckks.Security.of(log_n=16, log_qp=1555, weight=192)
    assert (sparse.bits, sparse.verdicts[0][0]) == (128, "estimate")
    assert rw.ckks.Security.of(log_n=16, log_qp=1555, weight=32).bits == 0
    with pytest.raises(rw.ParameterError, match="encapsulated"):
        rw.ckks.Security.of(log_n=16, log_qp=121, encapsulated=True)


def test_parameters_are_compared_by_what_they_hold():
    first, second = (rw.ckks.Parameters.preset("2048-30") for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != rw.ckks.Parameters.preset("1024-27")


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"log_n": 99}, rw.ParameterError, "99"),
        ({"log_n": -1}, rw.ParameterError, "-1"),
        ({"q_bits": [3]}, rw.ParameterError, "3"),
        ({"q_bits": [-30]}, rw.ParameterError, "-30"),
        ({"q_bits": []}, rw.ParameterError, "primes = 0, allowed: 1 to 128"),
        ({"log_n": 2**70}, rw.ParameterError, f"log_n = {2**70}, allowed: a number from 0 to"),
        ({"q_bits": [-(2**200)]}, rw.ParameterError, "q_bits = -"),
        ({"insecure": False}, rw.SecurityError, "insecure"),
    ],
)
def test_wrong_parameters_are_refused_with_what_was_given(change, error, named):
    good = {"log_n": LOG_N, "q_bits": [30], "p_bits": [], "log_scale": 20, "insecure": True}
    with pytest.raises(error, match=named):
        rw.ckks.Parameters(**(good | change))


@pytest.mark.parametrize("depth", [2**63, 2**200, 10**5000], ids=["63", "200", "5000"])
def test_a_depth_beyond_every_table_is_refused_however_large(depth):
    with pytest.raises(rw.ParameterError, match="depth"):
        rw.ckks.Parameters.for_depth(depth)


def test_an_input_beyond_every_float_is_refused():
    with pytest.raises(rw.ParameterError, match="max"):
        rw.ckks.Input(max=2**2000)


def test_unknown_preset_lists_the_known_ones():
    with pytest.raises(rw.ParameterError, match="8192-6x30"):
        rw.ckks.Parameters.preset("8192-7x30")


def test_encoding_alone_is_precise(params, alice, vectors):
    values, _ = vectors
    # Rounding moves each of N coefficients by at most 1/2.
    assert np.max(np.abs(alice.decode(alice.encode(values)) - values)) < params.n / 2 / params.scale


def test_short_vectors_are_padded_with_zeros(params, alice):
    values = np.array([0.5, -0.25, 0.125])
    decoded = alice.decode(alice.encode(values))
    assert decoded.shape == (params.slots,)
    assert np.allclose(decoded, np.pad(values, (0, params.slots - 3)), atol=params.n / params.scale)


def test_complex_values_survive(params, alice, vectors):
    values = vectors[0] + 1j * vectors[1]
    decoded = alice.decode(alice.encode(values), imag=True)
    assert np.max(np.abs(decoded - values)) < params.n / params.scale


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.bool_])
def test_every_real_number_type_is_encoded(params, alice, dtype):
    values = np.array([0, 1, 1, 0], dtype=dtype)
    assert np.allclose(alice.decode(alice.encode(values))[:4], values, atol=params.n / params.scale)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (np.zeros((2, 2)), r"\(2, 2\)"),
        (np.zeros(2**LOG_N), str(2 ** (LOG_N - 1))),
        (0.5j * np.ones(2**LOG_N), str(2 ** (LOG_N - 1))),
        ([1.0, np.nan], "nan|NaN"),
        (["one"], "<U3"),
        ([1e40], "fit"),
    ],
)
def test_values_that_cannot_be_encoded_are_refused(alice, values, named):
    with pytest.raises(rw.ParameterError, match=named):
        alice.encode(values)


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ({"max": -1.0}, r"max = -1\.0.*from 0"),
        ({"max": np.nan}, "max = nan.*finite"),
        ({"max": "1"}, "max = '1'"),
        ({"max": None}, "max = None.*finite"),
        ({"rms": 2.0}, r"rms = 2\.0"),
        ({"noise": np.inf}, "noise = inf"),
        ({"level": 2.5}, r"level = 2\.5.*integer"),
        ({"length": "all"}, "length = 'all'.*integer"),
        ({"length": -1}, "length = -1"),
    ],
)
def test_declarations_that_say_nothing_are_refused(declared, named):
    with pytest.raises(rw.ParameterError, match=named):
        rw.ckks.Input(**declared)


def test_complex_results_are_decrypted(alice, vectors):
    values = vectors[0] + 1j * vectors[1]
    ciphertext = alice.encrypt(values)
    error = np.abs(alice.decrypt(ciphertext, imag=True) - values)
    assert np.max(error) < 2 * slot_error_bound(ciphertext)
    assert alice.decrypt(ciphertext).dtype == np.float64


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
def test_values_up_to_half_the_modulus_decode_and_none_beyond(params, alice, level):
    half = math.prod(params.q[:level]) / 2

    def decoded(value, scale):
        declared = rw.ckks.Input(max=abs(value), level=level, scale=scale)
        return alice.decode(alice.encode(np.full(params.slots, value), declared))

    # In all slots alike, so in one coefficient, and a power of two: nothing is rounded.
    for scale in (1.0, 2.0 ** (PRIME_BITS * level - 2)):
        below = 2.0 ** int(np.log2(half)) / scale
        for value in (below, -below):
            assert np.array_equal(decoded(value, scale), np.full(params.slots, value))
            with pytest.raises(rw.ParameterError, match="does not fit"):
                decoded(2 * value, scale)


def test_bounds_are_declared_not_computed(alice):
    assert alice.encode([0.25]).max == alice.encode([0.0]).max == 1.0
    assert alice.encode([3.5]).max == 4.0
    declared = rw.ckks.Input(max=0.5, rms=0.25)
    ciphertext = alice.encrypt(alice.encode([0.25], declared))
    assert (ciphertext.max, ciphertext.rms) == (0.5, 0.25)
    with pytest.raises(rw.ParameterError, match=r"0\.5"):
        alice.encode([0.75], declared)


@pytest.mark.parametrize("level", [-1, 0, LEVELS + 1])
def test_levels_that_are_not_there_are_refused(alice, level):
    with pytest.raises(rw.ParameterError, match=str(level)):
        alice.encode([1.0], rw.ckks.Input(level=level))
    with pytest.raises(rw.ParameterError, match=str(level)):
        alice.encrypt([1.0]).drop_level(level)


def test_encryption_round_trip_within_predicted_noise(alice, vectors):
    ciphertext = alice.encrypt(vectors[0])
    error = np.max(np.abs(alice.decrypt(ciphertext) - vectors[0]))
    assert 0 < error < slot_error_bound(ciphertext)


def test_steps_compose_to_the_whole(alice, vectors):
    plaintext = alice.encode(vectors[0], rw.ckks.Input(level=2))
    assert plaintext.level == 2
    ciphertext = alice.encrypt(plaintext)
    assert ciphertext.level == 2
    decoded = alice.decode(alice.decrypt_plaintext(ciphertext))
    assert np.array_equal(decoded, alice.decrypt(ciphertext))


def test_randomness_is_fresh_every_time(alice, vectors):
    plaintext = alice.encode(vectors[0])
    assert alice.encrypt(plaintext).to_bytes() != alice.encrypt(plaintext).to_bytes()


def test_a_callers_seed_needs_the_word_insecure(alice, vectors):
    with pytest.raises(rw.SecurityError, match="insecure=True"):
        alice.encrypt(vectors[0], seed=SEED)
    first, second = (alice.encrypt(vectors[0], seed=SEED, insecure=True) for _ in range(2))
    assert first.to_bytes() == second.to_bytes()
    with pytest.raises(rw.ParameterError, match="32"):
        alice.encrypt(vectors[0], seed=SEED[:-1], insecure=True)


def test_the_secret_key_does_not_slip_out(alice):
    for holder in (alice, alice.secret_key):
        assert "hidden" in repr(holder)
        with pytest.raises(rw.SecurityError, match="pickled"):
            pickle.dumps(holder)


def test_a_saved_secret_key_decrypts(params, alice, vectors, tmp_path: Path):
    path = tmp_path / "secret.key"
    alice.secret_key.save(path)
    assert path.stat().st_mode & 0o077 == 0
    again = rw.ckks.Client.load(params, path)
    ciphertext = alice.encrypt(vectors[0])
    assert np.array_equal(again.decrypt(ciphertext), alice.decrypt(ciphertext))


def test_ciphertexts_of_other_parameters_are_refused(alice, vectors):
    other = rw.ckks.Client(rw.ckks.Parameters.preset("2048-30"))
    foreign = other.encrypt(vectors[0])
    with pytest.raises(rw.KeyMismatchError, match="2048-30"):
        alice.decrypt(foreign)
    with pytest.raises(rw.KeyMismatchError, match="2048-30"):
        rw.ckks.Client(alice.parameters, secret_key=other.secret_key)


def test_a_secret_key_file_is_checked(params, alice, tmp_path: Path):
    path = tmp_path / "secret.key"
    alice.secret_key.save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(rw.FormatError, match=r"secret\.key"):
        rw.ckks.Client.load(params, path)
    with pytest.raises(rw.StorageError, match="absent"):
        rw.ckks.Client.load(params, tmp_path / "absent")


def test_insecure_parameters_are_read_with_consent_only(params):
    data = params.to_bytes()
    with pytest.raises(rw.SecurityError, match="insecure"):
        rw.ckks.Parameters.from_bytes(data)
    assert rw.ckks.Parameters.from_bytes(data, insecure=True) == params


@pytest.fixture(
    params=["ciphertext", "symmetric ciphertext", "public key", "evaluation keys", "parameters"]
)
def record(request, params, alice):
    """An object that has a wire format, and how its bytes are read again."""
    ckks = rw.ckks
    if request.param == "parameters":
        preset = ckks.Parameters.preset("4096-2x30")
        return preset, ckks.Parameters.from_bytes, ckks.Parameters.load
    made = {
        "ciphertext": lambda: alice.encrypt([1.0]),
        "symmetric ciphertext": lambda: alice.encrypt_symmetric([1.0]),
        "public key": lambda: alice.public_key,
        "evaluation keys": lambda: alice.keys_for(rw.program(lambda x: x.rotate(1) * x)),
    }[request.param]()
    kind = type(made)
    return (
        made,
        lambda data: kind.from_bytes(params, data),
        lambda path: kind.load(params, path),
    )


def test_bytes_and_files_read_back_the_same(record, tmp_path: Path):
    made, from_bytes, load = record
    data = made.to_bytes()
    assert from_bytes(data).to_bytes() == data
    assert getattr(made, "encoded_len", len(data)) == len(data)
    made.save(tmp_path / "record")
    assert (tmp_path / "record").read_bytes() == data
    assert load(tmp_path / "record").to_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == ["record"]


def test_symmetric_encryption_halves_the_record_and_has_less_noise(alice, params):
    values = np.linspace(-1, 1, params.slots)
    small, large = alice.encrypt_symmetric(values), alice.encrypt(values)
    words = params.n * sum(q.bit_length() for q in params.q) // 8
    assert words < len(small.to_bytes()) < words + 160 < len(large.to_bytes())
    assert small.error_bound < large.error_bound
    received = rw.ckks.Ciphertext.from_bytes(params, small.to_bytes())
    assert np.max(np.abs(alice.decrypt(received) - values)) < small.error_bound
    plaintext = alice.encode(values)
    with pytest.raises(rw.ParameterError, match="encoded already"):
        alice.encrypt_symmetric(plaintext, rw.ckks.Input())


def test_a_program_takes_symmetric_ciphertexts_and_expects_them(alice, params):
    square = rw.program(lambda x: x * x)
    values = np.linspace(-1, 1, params.slots)
    sent = alice.encrypt_symmetric(values)
    alice.expect(square, sent)
    server = rw.Server(alice.keys_for(square))
    run = server.run(square, rw.ckks.Ciphertext.from_bytes(params, sent.to_bytes()))
    assert np.max(np.abs(alice.decrypt(run.value) - values**2)) < run.value.error_bound


def test_damage_is_seen(record):
    made, from_bytes, _ = record
    data = made.to_bytes()
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    for damaged in (b"", data[:7], data[:-1], data + b"\0", bytes(flipped)):
        with pytest.raises(rw.FormatError):
            from_bytes(damaged)


def test_files_that_cannot_be_written_or_read_are_named(record, tmp_path: Path):
    made, _, load = record
    path = tmp_path / "absent" / "record"
    with pytest.raises(rw.StorageError, match="absent"):
        made.save(path)
    with pytest.raises(rw.StorageError, match="absent"):
        load(path)


def test_what_is_public_is_pickled_as_its_record(record):
    made, _, _ = record
    pickled = pickle.dumps(made)
    assert made.to_bytes() in pickled
    assert pickle.loads(pickled).to_bytes() == made.to_bytes()
    assert copy.deepcopy(made).to_bytes() == made.to_bytes()


def test_pickles_are_checked_and_carry_consent(params, alice):
    assert pickle.loads(pickle.dumps(params)) == params
    pickled = bytearray(pickle.dumps(alice.encrypt([1.0])))
    pickled[-100] ^= 1
    with pytest.raises(rw.FormatError):
        pickle.loads(bytes(pickled))
    with pytest.raises(TypeError):
        pickle.dumps(alice.encode([1.0]))  # a plaintext is its holder's secret
