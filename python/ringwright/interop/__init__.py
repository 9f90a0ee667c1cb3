"""Ciphertexts and keys of other libraries, both ways.

`seal`: what Microsoft SEAL 4 saves, alone or inside TenSEAL. `openfhe`: what OpenFHE serialises.

A reader takes the bytes and the parameters they were made under, and returns our own objects: they
run on every machine, mix with ours, and are written back. Secret keys of other libraries are
neither read nor written. Refused bytes raise `FormatError` with the library, the field, what was
given and what is allowed; objects of other parameters `KeyMismatchError`; parameters that one side
has no place for `ParameterError`; parameters below 128 bits of security `SecurityError`.
"""

from ringwright.interop import openfhe, seal

__all__ = ["openfhe", "seal"]
