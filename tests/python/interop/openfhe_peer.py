"""OpenFHE behind a pipe, for tests: its wheel wants CPython 3.10, which the tests may not run on.

Run with a folder. Writes a context's objects there, then answers lines on standard input:

    decrypt FILE                 prints the slots as JSON
    square_and_rotate FILE OUT   with the evaluation keys in mult.new and rotations.new
    square FILE OUT              without relinearisation: three parts
    encrypt OUT                  with the public key in public.new
    adopt FILE                   takes the context there; new keys in it, objects written again
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import openfhe

FOLDER = Path(sys.argv[1])
SCALE_BITS = 50
STEPS = [1, -2]


def context() -> openfhe.CryptoContext:
    """Three levels in two digits at 128 bits; OpenFHE chooses N."""
    chosen = openfhe.CCParamsCKKSRNS()
    chosen.SetMultiplicativeDepth(2)
    chosen.SetScalingModSize(SCALE_BITS)
    chosen.SetFirstModSize(60)
    chosen.SetNumLargeDigits(2)
    chosen.SetScalingTechnique(openfhe.ScalingTechnique.FIXEDMANUAL)
    chosen.SetKeySwitchTechnique(openfhe.KeySwitchTechnique.HYBRID)
    made = openfhe.GenCryptoContext(chosen)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE"):
        made.Enable(getattr(openfhe.PKESchemeFeature, feature))
    return made


def values(count: int) -> list[float]:
    """Slot values that the tests know."""
    return [((7 * j) % 64 - 32) / 32 for j in range(count)]


class Peer:
    """A context with a key pair."""

    def begin(self, chosen: openfhe.CryptoContext) -> None:
        """Makes keys and a message in this context, and writes their objects."""
        self.context = chosen
        self.pair = self.context.KeyGen()
        self.context.EvalMultKeyGen(self.pair.secretKey)
        self.context.EvalRotateKeyGen(self.pair.secretKey, STEPS)
        self.slots = self.context.GetRingDimension() // 2
        self.message = self.context.MakeCKKSPackedPlaintext(values(self.slots))
        self.write()

    def write(self) -> None:
        tag = self.pair.secretKey.GetKeyTag()
        fresh = self.context.Encrypt(self.pair.publicKey, self.message)
        objects = {
            "public": self.pair.publicKey,
            "mult": self.context.GetEvalMultKeyVector(tag)[0],
            "rotations": self.context.GetEvalAutomorphismKeyMap(tag),
            "fresh": fresh,
            "low": self.context.LevelReduce(fresh, None, 1),
        }
        for name, thing in objects.items():
            (FOLDER / name).write_bytes(openfhe.Serialize(thing, openfhe.BINARY))
        mult = openfhe.SerializeEvalMultKeyString(openfhe.BINARY, tag)
        (FOLDER / "mult.map").write_bytes(mult)
        rotations = openfhe.SerializeEvalAutomorphismKeyString(openfhe.BINARY, tag)
        (FOLDER / "rotations.map").write_bytes(rotations)

    def load(self, name: str) -> openfhe.Ciphertext:
        data = (FOLDER / name).read_bytes()
        return openfhe.DeserializeCiphertextString(data, openfhe.BINARY)

    def decrypt(self, name: str) -> None:
        plain = self.context.Decrypt(self.load(name), self.pair.secretKey)
        plain.SetLength(self.slots)
        print(json.dumps(plain.GetRealPackedValue()), flush=True)

    def square_and_rotate(self, name: str, out: str) -> None:
        # A tag that has keys takes no others.
        openfhe.ClearEvalMultKeys()
        openfhe.CryptoContext.ClearEvalAutomorphismKeys()
        mult, rotations = ((FOLDER / key).read_bytes() for key in ("mult.new", "rotations.new"))
        openfhe.DeserializeEvalMultKeyString(mult, openfhe.BINARY)
        openfhe.DeserializeEvalAutomorphismKeyString(rotations, openfhe.BINARY)
        given = self.load(name)
        square = self.context.Rescale(self.context.EvalMult(given, given))
        result = self.context.EvalRotate(square, STEPS[1])
        (FOLDER / out).write_bytes(openfhe.Serialize(result, openfhe.BINARY))
        print("null", flush=True)

    def square(self, name: str, out: str) -> None:
        given = self.load(name)
        result = self.context.EvalMultNoRelin(given, given)
        (FOLDER / out).write_bytes(openfhe.Serialize(result, openfhe.BINARY))
        print("null", flush=True)

    def adopt(self, name: str) -> None:
        data = (FOLDER / name).read_bytes()
        self.begin(openfhe.DeserializeCryptoContextString(data, openfhe.BINARY))
        print(json.dumps(self.slots), flush=True)

    def encrypt(self, out: str) -> None:
        data = (FOLDER / "public.new").read_bytes()
        key = openfhe.DeserializePublicKeyString(data, openfhe.BINARY)
        encrypted = self.context.Encrypt(key, self.message)
        (FOLDER / out).write_bytes(openfhe.Serialize(encrypted, openfhe.BINARY))
        print("null", flush=True)


def main() -> None:
    """Answers until the pipe closes."""
    peer = Peer()
    peer.begin(context())
    print(json.dumps(peer.slots), flush=True)
    for line in sys.stdin:
        command, *arguments = line.split()
        getattr(peer, command)(*arguments)


if __name__ == "__main__":
    main()
