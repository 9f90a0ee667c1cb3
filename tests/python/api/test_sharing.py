"""Results that leave the key holder: expected, computed, counted, flooded; and a lying server."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import ringwright as rw

SHARING = rw.ckks.Sharing(queries=4)


@rw.program
def energy(now, before):
    """One product, so that a lying server has something to lie about."""
    difference = now - before
    return (difference * difference).sum(4)


@pytest.fixture(scope="module")
def params() -> rw.ckks.Parameters:
    """A small ring with the scale that sharing takes."""
    return rw.ckks.Parameters(
        log_n=9, q_bits=[60, 60, 60], p_bits=[60], log_scale=56, insecure=True, name="shared"
    )


class Case:
    """A client, a server, and what one run of theirs gives."""

    def __init__(self, params: rw.ckks.Parameters) -> None:
        self.alice = rw.ckks.Client(params)
        self.server = rw.Server(self.alice.keys_for(energy))
        rng = np.random.default_rng(1)
        self.vectors = rng.uniform(-0.2, 0.2, (2, params.slots))
        self.inputs = [self.alice.encrypt(vector) for vector in self.vectors]
        self.record = self.alice.expect(energy, *self.inputs)
        # The server has bytes only.
        read = [rw.ckks.Ciphertext.from_bytes(params, each.to_bytes()) for each in self.inputs]
        self.result = self.server.run(energy, *read).value
        self.expected = energy.plain(*self.vectors)

    def forged(self, words: NDArray[np.uint64], **header: float) -> rw.ckks.Ciphertext:
        """The result with other words, and another header."""
        return forged(self.result, words, **header)


@pytest.fixture
def case(params: rw.ckks.Parameters) -> Case:
    return Case(params)


def bits_of(prime: int) -> int:
    """Bits that a packed word takes on the wire."""
    return (prime - 1).bit_length()


def words_of(result: rw.ckks.Ciphertext) -> list[list[list[int]]]:
    """Parts, towers, words: unpacked from the wire record as a stranger would."""
    data, params = result.to_bytes(), result.parameters
    # Header; identity, length, zeros beyond, no seed, parts, level; five numbers.
    at, parts = 48 + 16 + 4 + 1 + 1 + 1 + 2 + 5 * 8, []
    for _ in range(result.parts):
        towers = []
        for prime in params.q[: result.level]:
            size = params.n * bits_of(prime) // 8
            packed = int.from_bytes(data[at : at + size], "little")
            mask = (1 << bits_of(prime)) - 1
            towers.append([packed >> (bits_of(prime) * k) & mask for k in range(params.n)])
            at += size
        parts.append(towers)
    return parts


def crc64(data: bytes) -> int:
    """CRC-64/XZ, bit by bit."""
    state = (1 << 64) - 1
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = (state >> 1) ^ (0xC96C5795D7870F42 if state & 1 else 0)
    return state ^ ((1 << 64) - 1)


def forged(result: rw.ckks.Ciphertext, parts, **header: float) -> rw.ckks.Ciphertext:
    """A record of these words, with a checksum that fits, as a stranger writes it."""
    data, params = bytearray(result.to_bytes()), result.parameters
    at = 48 + 16 + 4 + 1 + 1 + 1 + 2
    for index, name in enumerate(("scale", "max", "rms", "noise", "peak")):
        if name in header:
            number = np.float64(header[name]).tobytes()
            data[at + 8 * index : at + 8 * index + 8] = number
    at += 5 * 8
    for towers in parts:
        for prime, words in zip(params.q, towers, strict=False):
            packed = sum(word << (bits_of(prime) * k) for k, word in enumerate(words))
            size = params.n * bits_of(prime) // 8
            data[at : at + size] = packed.to_bytes(size, "little")
            at += size
    data[-8:] = crc64(bytes(data[:-8])).to_bytes(8, "little")
    return rw.ckks.Ciphertext.from_bytes(params, bytes(data))


def times(result: rw.ckks.Ciphertext, factor: int) -> list[list[list[int]]]:
    """All words times an integer, each modulo its prime."""
    primes = result.parameters.q
    return [
        [[word * factor % q for word in tower] for q, tower in zip(primes, part, strict=False)]
        for part in words_of(result)
    ]


@pytest.mark.parametrize("evaluated", ["honest", "recheck"])
def test_an_honest_result_is_shared_under_a_flood(case: Case, evaluated) -> None:
    told = case.alice.share(case.result, case.record, SHARING, evaluated=evaluated)
    error = np.abs(told - case.expected)
    own = np.abs(case.alice.decrypt(case.result) - case.expected)
    assert np.sqrt(np.mean(error**2)) <= 2.0**-SHARING.precision_bits
    assert np.mean(error) * SHARING.advantage > np.mean(own)
    # Asking again averages nothing away and costs nothing.
    again = case.alice.share(case.result, case.record, SHARING, evaluated=evaluated)
    assert np.array_equal(told, again)
    assert len(case.alice.secret_key.shared) == 1


def test_a_strangers_header_is_refused_before_anything_is_decrypted(case: Case) -> None:
    scale = case.result.scale
    liar = forged(case.result, times(case.result, 2**3), scale=scale * 2**3, noise=0.0, peak=0.0)
    with pytest.raises(rw.SecurityError, match="scale"):
        case.alice.share(liar, case.record, SHARING, evaluated="honest")
    assert case.alice.secret_key.shared == []


def test_a_truthful_header_over_other_words_is_refused_by_a_recheck(case: Case) -> None:
    for factor in (2, 2**20):
        liar = forged(case.result, times(case.result, factor))
        with pytest.raises(rw.SecurityError, match="energy: the words are not those"):
            case.alice.share(liar, case.record, SHARING, evaluated="recheck")
    assert case.alice.secret_key.shared == []


def test_a_lying_server_recovers_the_whole_key_from_an_honest_one_s_trust(
    case: Case, tmp_path: Path
) -> None:
    """What SECURITY.md says of `evaluated="honest"`: (0, 2^k) decrypts to 2^k times the secret."""
    k = 58
    zero, one = ([[value] * case.alice.parameters.n] * case.result.level for value in (0, 1 << k))
    liar = forged(case.result, [zero, one])
    told = case.alice.share(liar, case.record, SHARING, evaluated="honest", imag=True)
    coefficients = inverse_embedding(np.asarray(told, np.complex128)) * case.result.scale / 2**k
    assert np.array_equal(np.rint(coefficients), coefficients_of(case.alice, tmp_path / "key"))


def coefficients_of(alice: rw.ckks.Client, path: Path) -> NDArray[np.int64]:
    """The secret, from the end of its file: two bits a coefficient, before the checksum."""
    alice.secret_key.save(path)
    packed = np.frombuffer(path.read_bytes()[:-8], np.uint8)[-alice.parameters.n // 4 :]
    return (packed[:, None] >> np.array([0, 2, 4, 6]) & 3).reshape(-1).astype(np.int64) - 1


def inverse_embedding(slots: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Coefficients of the real polynomial with these values at ζ^(5^j)."""
    n = 2 * len(slots)
    powers = np.array([pow(5, j, 2 * n) for j in range(len(slots))])
    k = np.arange(n)
    roots = np.exp(-1j * np.pi * np.outer(k, powers) / n)
    return (2 / n) * np.real(roots @ slots)


def test_queries_are_counted_and_end(params: rw.ckks.Parameters) -> None:
    case, two = Case(params), rw.ckks.Sharing(queries=2)
    for _ in range(2):
        inputs = [case.alice.encrypt(vector) for vector in case.vectors]
        record = case.alice.expect(energy, *inputs)
        result = case.server.run(energy, *inputs).value
        case.alice.share(result, record, two, evaluated="honest")
    with pytest.raises(rw.SecurityError, match="2 results were shared under this key"):
        case.alice.share(case.result, case.record, two, evaluated="honest")


def test_the_count_is_saved_with_the_key(params: rw.ckks.Parameters, tmp_path: Path) -> None:
    case, path, one = Case(params), tmp_path / "alice.key", rw.ckks.Sharing()
    case.alice.secret_key.save(path)
    kept = case.record.to_bytes()
    first = case.alice.share(case.result, case.record, one, evaluated="honest")
    # Another process: the key, the record, the inputs and the result as bytes.
    again = rw.ckks.Client.load(params, path)
    record = rw.ckks.Expected.from_bytes(params, kept)
    with pytest.raises(rw.SecurityError, match="with_inputs"):
        again.share(case.result, record, one, evaluated="recheck")
    inputs = [rw.ckks.Ciphertext.from_bytes(params, each.to_bytes()) for each in case.inputs]
    with pytest.raises(rw.SecurityError, match="inputs"):
        record.with_inputs(energy, inputs[1], inputs[0])
    record = record.with_inputs(energy, *inputs)
    assert np.array_equal(first, again.share(case.result, record, one, evaluated="recheck"))
    others = [again.encrypt(vector) for vector in case.vectors]
    result = rw.Server(again.keys_for(energy)).run(energy, *others).value
    with pytest.raises(rw.SecurityError, match="shared under this key"):
        again.share(result, again.expect(energy, *others), one, evaluated="honest")
    path.unlink()
    more = rw.ckks.Sharing(queries=4)
    with pytest.raises(rw.StorageError, match="counted there"):
        case.alice.share(case.result, case.record, more, evaluated="honest")


def test_what_a_stranger_says_is_no_prediction(case: Case, params: rw.ckks.Parameters) -> None:
    read = [rw.ckks.Ciphertext.from_bytes(params, each.to_bytes()) for each in case.inputs]
    assert case.inputs[0].made_here
    assert not read[0].made_here
    with pytest.raises(rw.SecurityError, match="input 0 was read from elsewhere"):
        case.alice.expect(energy, *read)
    changed = bytearray(case.record.to_bytes())
    changed[48 + 16] ^= 1
    changed[-8:] = crc64(bytes(changed[:-8])).to_bytes(8, "little")
    record = rw.ckks.Expected.from_bytes(params, bytes(changed))
    with pytest.raises(rw.SecurityError, match="the record"):
        case.alice.share(case.result, record, SHARING, evaluated="honest")
    with pytest.raises(rw.SecurityError, match="'trusted' given; 'honest' or 'recheck'"):
        case.alice.share(case.result, case.record, SHARING, evaluated="trusted")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"statistical_bits": 1}, "2 or more"),
        ({"queries": 0}, "1 or more"),
        ({"queries": True}, "True"),
    ],
)
def test_promises_that_promise_nothing_are_refused(change, named) -> None:
    with pytest.raises(rw.ParameterError, match=named):
        rw.ckks.Sharing(**change)


def test_parameters_leave_the_room() -> None:
    # A sum of four and a difference take more than the squarings that room is left for.
    finer = rw.ckks.Sharing(precision_bits=12)
    params = rw.ckks.Parameters.for_depth(1, share=finer)
    preset = rw.ckks.Parameters.preset("16384-6x61")
    for each in (params, preset):
        alice = rw.ckks.Client(each)
        inputs = [alice.encrypt([0.9, 0.4, 0.3, 0.7]), alice.encrypt([0.1, 0.5, 0.3, 0.2])]
        record = alice.expect(energy, *inputs)
        result = rw.Server(alice.keys_for(energy)).run(energy, *inputs).value
        told = alice.share(result, record, rw.ckks.Sharing(), evaluated="honest")
        assert abs(told[0] - 0.9) < 0.05
        assert all(bits >= 128 for _, bits, *_ in each.security.verdicts)
    small = rw.ckks.Client(rw.ckks.Parameters.preset("8192-6x30"))
    inputs = [small.encrypt([0.5]), small.encrypt([0.25])]
    record = small.expect(energy, *inputs)
    result = rw.Server(small.keys_for(energy)).run(energy, *inputs).value
    with pytest.raises(rw.SecurityError, match="room"):
        small.share(result, record, rw.ckks.Sharing(), evaluated="honest")
