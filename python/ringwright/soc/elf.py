"""Of an ELF file for RISC-V, what a simulator loads and who asks for a symbol's address."""

from __future__ import annotations

import struct
from dataclasses import dataclass

__all__ = ["Elf"]

_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_LOAD, _SYMBOLS = 1, 2


@dataclass(frozen=True)
class Elf:
    """A 64-bit little-endian executable."""

    data: bytes

    def loaded(self, base: int) -> bytes:
        """What is loaded from the address `base` on."""
        content = bytearray()
        _, _, _, _, offset, _, _, _, size, count, *_ = _HEADER.unpack_from(self.data)
        for number in range(count):
            kind, _, start, _, physical, in_file, _, _ = _SEGMENT.unpack_from(
                self.data, offset + number * size
            )
            if kind == _LOAD and in_file and base <= physical:
                last = physical - base + in_file
                content.extend(bytes(max(0, last - len(content))))
                content[physical - base : last] = self.data[start : start + in_file]
        return bytes(content)

    def symbols(self) -> dict[str, tuple[int, int]]:
        """Address and bytes of every symbol."""
        _, _, _, _, _, offset, _, _, _, _, size, count, _ = _HEADER.unpack_from(self.data)
        sections = [
            _SECTION.unpack_from(self.data, offset + number * size) for number in range(count)
        ]
        found = {}
        for section in sections:
            if section[1] != _SYMBOLS:
                continue
            names = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], _SYMBOL.size):
                name, _, _, _, value, length = _SYMBOL.unpack_from(self.data, at)
                end = self.data.index(b"\0", names + name)
                found[self.data[names + name : end].decode()] = (value, length)
        return found
