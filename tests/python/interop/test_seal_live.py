"""Against SEAL itself, as TenSEAL's wheel carries it: made there, computed here, decrypted there,
and the reverse. Secret keys stay on their side."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ringwright as rw
from ringwright import camera
from ringwright.camera.packing import PairPacking
from ringwright.camera.parameters import choose_parameters
from ringwright.camera.video import Size, Source, read_frames
from ringwright.interop import seal

pytestmark = pytest.mark.slow

CLIP = Path(camera.__file__).parent / "data" / "bigbuckbunny-qvga.mp4"
N = 8192
#: As the camera's preset 8192-6x30: six primes and a special one, 128 bits.
PRIME_BITS = [30] * 7
LOG_SCALE = 24
#: One machine of every target, whose words hold the primes.
MACHINES = ("cpu", "medha-u250", "rise-32bfu", "rpu-128x128")
#: Those that draw samples, so that keys are made and vectors encrypted there.
CLIENTS = ("cpu", "rise-32bfu")
#: A slot's error: noise of a few hundred times sqrt(N/2) over the scale, and a margin.
TOLERANCE = 2.0**-7


class Seal:
    """A SEAL context with its own secret key."""

    def __init__(self, parameters: rw.ckks.Parameters | None, folder: Path) -> None:
        self.api = pytest.importorskip("tenseal.sealapi", reason="needs TenSEAL")
        self.folder = folder
        empty = self.api.EncryptionParameters(self.api.SCHEME_TYPE.CKKS)
        self.version = seal.version_of(self.saved(empty))
        chosen = self.api.EncryptionParameters(self.api.SCHEME_TYPE.CKKS)
        if parameters is None:
            chosen.set_poly_modulus_degree(N)
            chosen.set_coeff_modulus(self.api.CoeffModulus.Create(N, PRIME_BITS))
        else:
            chosen.load(self.file(seal.write_parameters(parameters, version=self.version)))
        self.context = self.api.SEALContext(chosen, True, self.api.SEC_LEVEL_TYPE.TC128)
        assert self.context.parameters_error_message() == "valid"
        self.generator = self.api.KeyGenerator(self.context)
        self.evaluator = self.api.Evaluator(self.context)
        self.encoder = self.api.CKKSEncoder(self.context)
        self.parameters = parameters or seal.read_parameters(
            self.saved(chosen), log_scale=LOG_SCALE
        )

    def file(self, data: bytes) -> str:
        path = self.folder / "object"
        path.write_bytes(data)
        return str(path)

    def saved(self, thing: Any) -> bytes:
        thing.save(str(self.folder / "object"))
        return (self.folder / "object").read_bytes()

    def loaded(self, kind: str, write: Callable[..., bytes], ours: object) -> Any:
        """One of our objects, written for this version and loaded."""
        thing = getattr(self.api, kind)()
        thing.load(self.context, self.file(write(ours, version=self.version)))
        return thing

    def made(self, kind: str, make: Callable[..., None], *arguments: Any) -> Any:
        thing = getattr(self.api, kind)()
        make(*arguments, thing)
        return thing

    def public_key(self) -> Any:
        return self.made("PublicKey", self.generator.create_public_key)

    def encrypt(self, values: np.ndarray, public_key: Any) -> Any:
        scale = self.parameters.scale
        plain = self.made("Plaintext", self.encoder.encode, values.tolist(), scale)
        encryptor = self.api.Encryptor(self.context, public_key)
        return self.made("Ciphertext", encryptor.encrypt, plain)

    def decrypt(self, ciphertext: Any) -> np.ndarray:
        decryptor = self.api.Decryptor(self.context, self.generator.secret_key())
        plain = self.made("Plaintext", decryptor.decrypt, ciphertext)
        return np.array(self.encoder.decode_complex(plain))


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Seal:
    return Seal(None, tmp_path_factory.mktemp("seal"))


@pytest.fixture(scope="module")
def their_keys(theirs: Seal) -> rw.ckks.EvaluationKeys:
    """What a user of SEAL's makes without a thought for us, read here."""
    mult = theirs.made("RelinKeys", theirs.generator.create_relin_keys)
    galois = theirs.made("GaloisKeys", theirs.generator.create_galois_keys)
    given = theirs.saved(mult), theirs.saved(galois)
    return seal.read_keys(theirs.parameters, relinearisation=given[0], rotations=given[1])


def random(slots: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.uniform(-1, 1, slots)


@rw.program
def product(x: rw.Vector, y: rw.Vector) -> rw.Vector:
    return x * y + x


#: SEAL's odd steps have Galois elements that are no power of ours; 5 is 4 + 1.
STEPS = 5


@rw.program
def product_and_rotation(x: rw.Vector, y: rw.Vector) -> rw.Vector:
    return seal.rotate(x * y + x, STEPS)


def test_every_target_is_asked() -> None:
    asked = {rw.machine(name).target for name in MACHINES}
    assert asked == {target.name for target in rw.targets()}


@pytest.mark.parametrize("machine", MACHINES)
def test_made_there_computed_here_decrypted_there(
    theirs: Seal, their_keys: rw.ckks.EvaluationKeys, machine: str
) -> None:
    params = theirs.parameters
    x, y = random(params.slots, 1), random(params.slots, 2)
    public = theirs.public_key()
    inputs = [seal.read_ciphertext(theirs.saved(theirs.encrypt(v, public)), params) for v in (x, y)]
    result = rw.Server(their_keys, machine).run(product_and_rotation, *inputs).value
    given = theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, result))
    np.testing.assert_allclose(given, np.roll(x * y + x, -STEPS), atol=TOLERANCE)


def test_complex_slots_rotate_as_there(theirs: Seal, their_keys: rw.ckks.EvaluationKeys) -> None:
    """A conjugation too many would negate the imaginary parts."""

    @rw.program
    def rotated(x: rw.Vector) -> rw.Vector:
        return seal.rotate(x, STEPS)

    params = theirs.parameters
    values = random(params.slots, 3) + 1j * random(params.slots, 4)
    encrypted = theirs.encrypt(values, theirs.public_key())
    result = rw.Server(their_keys).run(
        rotated, seal.read_ciphertext(theirs.saved(encrypted), params, maximum=1.5)
    )
    given = theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, result.value))
    np.testing.assert_allclose(given, np.roll(values, -STEPS), atol=TOLERANCE)


@pytest.mark.parametrize("elements", [[5**3], [3**7 % (2 * N)]])
def test_a_key_of_theirs_for_one_element(theirs: Seal, elements: list[int]) -> None:
    """Galois element 5^k is a rotation in our order, 3^k one in theirs, for even and odd k."""

    @rw.program
    def rotated(x: rw.Vector) -> rw.Vector:
        return x.rotate(3) if elements == [5**3] else seal.rotate(x, 7, own_key=True)

    params = theirs.parameters
    x = random(params.slots, 3)
    galois = theirs.made("GaloisKeys", theirs.generator.create_galois_keys, elements)
    keys = seal.read_keys(params, rotations=theirs.saved(galois))
    assert keys.names == [f"galois {elements[0]}"]
    encrypted = seal.read_ciphertext(theirs.saved(theirs.encrypt(x, theirs.public_key())), params)
    result = rw.Server(keys).run(rotated, encrypted).value
    given = theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, result))
    ours = np.roll(seal.to_slots(x, params), -3)
    expected = seal.from_slots(ours, params) if elements == [5**3] else np.roll(x, -7)
    np.testing.assert_allclose(given, expected, atol=TOLERANCE)


@pytest.mark.parametrize("machine", CLIENTS)
def test_made_here_computed_there_decrypted_here(tmp_path: Path, machine: str) -> None:
    """Keys, encryption and decryption on a client's machine; SEAL rotates in its own order."""
    params = rw.ckks.Parameters.preset("8192-6x30")
    alice, theirs = rw.ckks.Client(params, machine), Seal(params, tmp_path)
    x, y = random(params.slots, 4), random(params.slots, 5)

    @rw.program
    def needs(x: rw.Vector) -> rw.Vector:
        return seal.rotate(x * x, STEPS, own_key=True)

    keys = alice.keys_for(needs)
    relinearisation = theirs.loaded("RelinKeys", seal.write_relinearisation_key, keys)
    galois = theirs.loaded("GaloisKeys", seal.write_rotation_keys, keys)
    a = theirs.loaded("Ciphertext", seal.write_ciphertext, alice.encrypt(seal.to_slots(x, params)))
    public = theirs.loaded("PublicKey", seal.write_public_key, alice)
    b = theirs.encrypt(y, public)
    theirs.evaluator.multiply_inplace(a, b)
    three_parts = seal.read_ciphertext(theirs.saved(a), params)
    theirs.evaluator.relinearize_inplace(a, relinearisation)
    theirs.evaluator.rotate_vector_inplace(a, STEPS, galois)
    theirs.evaluator.mod_switch_to_next_inplace(a)
    back = seal.read_ciphertext(theirs.saved(a), params)
    assert (back.level, three_parts.level) == (params.levels - 1, params.levels)
    given = seal.from_slots(alice.decrypt(back), params)
    np.testing.assert_allclose(given, np.roll(x * y, -STEPS), atol=TOLERANCE)
    given = seal.from_slots(alice.decrypt(three_parts), params)
    np.testing.assert_allclose(given, x * y, atol=TOLERANCE)


@pytest.mark.parametrize("machine", CLIENTS)
def test_a_frame_encrypted_here_decrypts_in_seal(tmp_path: Path, machine: str) -> None:
    """The camera's own parameters and packing; the key that encrypts is SEAL's."""
    params = choose_parameters(None, None, "motion")
    theirs = Seal(params, tmp_path)
    public = seal.read_public_key(theirs.saved(theirs.public_key()), params)
    sender = rw.ckks.Sender(public, machine)
    (frame,) = read_frames(Source(CLIP), Size(160, 120), 1)
    tiles = PairPacking(Size(160, 120), params.slots)
    there = []
    for slots in tiles.pack(frame.picture):
        encrypted = sender.encrypt(seal.to_slots(slots, params))
        there.append(theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, encrypted)))
    decrypted = tiles.unpack(np.array(there))
    np.testing.assert_allclose(decrypted, frame.picture, atol=TOLERANCE)
    assert frame.picture.std() > 16 * TOLERANCE, "a picture that noise could pass for"


def test_seeded_objects_are_refused(theirs: Seal) -> None:
    """What SEAL's `Serializable` saves: a seed in place of the uniform part."""
    params = theirs.parameters
    theirs.generator.create_relin_keys().save(theirs.file(b""))
    saved = (theirs.folder / "object").read_bytes()
    with pytest.raises(rw.ParameterError, match="SEAL: a seed in place of the uniform part; load"):
        seal.read_keys(params, relinearisation=saved)


def test_through_tenseal_s_own_vectors(tmp_path: Path) -> None:
    """What a user of TenSEAL alone has: its context's keys and its vectors' messages."""
    tenseal = pytest.importorskip("tenseal", reason="needs TenSEAL")
    context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, N, coeff_mod_bit_sizes=[40, 30, 30, 40])
    context.global_scale = 2.0**30

    def saved(thing: Any) -> bytes:
        thing.save(str(tmp_path / "object"))
        return (tmp_path / "object").read_bytes()

    chosen = context.seal_context().data.key_context_data().parms()
    params = seal.read_parameters(saved(chosen), log_scale=30)
    keys = seal.read_keys(params, relinearisation=saved(context.relin_keys().data))
    values = [0.5, -0.25, 0.75]
    there = saved(tenseal.ckks_vector(context, values).ciphertext()[0])
    given = seal.read_ciphertext(there, params)
    result = rw.Server(keys).run(product, given, given).value
    written = seal.write_ciphertext(result, version=seal.version_of(there))
    message = ckks_vector_message(len(values), written, result.scale)
    back = tenseal.ckks_vector_from(context, message).decrypt()
    np.testing.assert_allclose(back, [x * x + x for x in values], atol=TOLERANCE)


def ckks_vector_message(length: int, ciphertext: bytes, scale: float) -> bytes:
    """TenSEAL's CKKSVectorProto: 1 lengths, 2 ciphertexts, 3 scale."""
    left, size = len(ciphertext), b""
    while left > 127:
        size, left = size + bytes([left & 127 | 128]), left >> 7
    lengths = bytes([0x0A, 1, length])
    return (
        lengths + b"\x12" + size + bytes([left]) + ciphertext + b"\x19" + struct.pack("<d", scale)
    )
