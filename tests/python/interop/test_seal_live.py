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


@pytest.fixture
def theirs(tmp_path: Path) -> Seal:
    return Seal(None, tmp_path)


def random(slots: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.uniform(-1, 1, slots)


@rw.program
def product(x: rw.Vector, y: rw.Vector) -> rw.Vector:
    return x * y + x


def test_made_there_computed_here_decrypted_there(theirs: Seal) -> None:
    params = theirs.parameters
    x, y = random(params.slots, 1), random(params.slots, 2)
    public = theirs.public_key()
    relinearisation = theirs.made("RelinKeys", theirs.generator.create_relin_keys)
    keys = seal.read_keys(params, relinearisation=theirs.saved(relinearisation))
    inputs = [seal.read_ciphertext(theirs.saved(theirs.encrypt(v, public)), params) for v in (x, y)]
    result = rw.Server(keys).run(product, *inputs).value
    given = theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, result))
    np.testing.assert_allclose(given, x * y + x, atol=TOLERANCE)


def test_their_rotation_keys_rotate_here(theirs: Seal) -> None:
    """Galois element 5^k is SEAL's too when asked for; slots then move in our order."""

    @rw.program
    def rotated(x: rw.Vector) -> rw.Vector:
        return x.rotate(3)

    params = theirs.parameters
    x = random(params.slots, 3)
    galois = theirs.made("GaloisKeys", theirs.generator.create_galois_keys, [5**3])
    keys = seal.read_keys(params, rotations=theirs.saved(galois))
    encrypted = theirs.encrypt(seal.from_slots(x, params), theirs.public_key())
    result = rw.Server(keys).run(rotated, seal.read_ciphertext(theirs.saved(encrypted), params))
    given = theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, result.value))
    np.testing.assert_allclose(seal.to_slots(given, params), np.roll(x, -3), atol=TOLERANCE)


def test_their_even_rotations_rotate_here(theirs: Seal) -> None:
    """SEAL's own key for two steps: Galois element 3^2."""
    params = theirs.parameters
    steps = seal.rotation(params, 2)

    @rw.program
    def rotated(x: rw.Vector) -> rw.Vector:
        return x.rotate(steps)

    x = random(params.slots, 7)
    galois = theirs.made("GaloisKeys", theirs.generator.create_galois_keys, [3**2])
    keys = seal.read_keys(params, rotations=theirs.saved(galois))
    encrypted = seal.read_ciphertext(theirs.saved(theirs.encrypt(x, theirs.public_key())), params)
    result = rw.Server(keys).run(rotated, encrypted).value
    given = theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, result))
    np.testing.assert_allclose(given, np.roll(x, -2), atol=TOLERANCE)


def test_made_here_computed_there_decrypted_here(tmp_path: Path) -> None:
    params = rw.ckks.Parameters.preset("8192-6x30")
    alice, theirs = rw.ckks.Client(params), Seal(params, tmp_path)
    x, y = random(params.slots, 4), random(params.slots, 5)

    @rw.program
    def needs(x: rw.Vector) -> rw.Vector:
        return x * x + x.rotate(3)

    keys = alice.keys_for(needs)
    relinearisation = theirs.loaded("RelinKeys", seal.write_relinearisation_key, keys)
    galois = theirs.loaded("GaloisKeys", seal.write_rotation_keys, keys)
    assert galois.has_key(5**3)
    a = theirs.loaded("Ciphertext", seal.write_ciphertext, alice.encrypt(x))
    b = theirs.encrypt(
        seal.from_slots(y, params).real,
        theirs.loaded("PublicKey", seal.write_public_key, alice),
    )
    theirs.evaluator.multiply_inplace(a, b)
    theirs.evaluator.relinearize_inplace(a, relinearisation)
    theirs.evaluator.apply_galois_inplace(a, 5**3, galois)
    back = seal.read_ciphertext(theirs.saved(a), params)
    np.testing.assert_allclose(alice.decrypt(back), np.roll(x * y, -3), atol=TOLERANCE)


def test_a_frame_encrypted_here_decrypts_in_seal(tmp_path: Path) -> None:
    """The camera's own parameters and packing; the key that encrypts is SEAL's."""
    params = choose_parameters(None, None, "motion")
    theirs = Seal(params, tmp_path)
    sender = rw.ckks.Sender(seal.read_public_key(theirs.saved(theirs.public_key()), params))
    (frame,) = read_frames(Source(CLIP), Size(160, 120), 1)
    tiles = PairPacking(Size(160, 120), params.slots)
    packed = tiles.pack(frame.picture)
    there = []
    for slots in packed:
        encrypted = sender.encrypt(seal.to_slots(slots, params))
        there.append(theirs.decrypt(theirs.loaded("Ciphertext", seal.write_ciphertext, encrypted)))
    np.testing.assert_allclose(tiles.unpack(np.array(there)), frame.picture, atol=TOLERANCE)


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
