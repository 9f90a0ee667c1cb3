#!/usr/bin/env python3
"""Writes samplers.txt: the samplers by their definition, on nothing but hashlib.

Run it in this folder after a deliberate change of a definition, never to silence a test.
"""

import hashlib

BLOCK = 136


def stream(seed, name, tower, length=1 << 16):
    message = seed + bytes([len(name)]) + name.encode() + tower.to_bytes(2, "little")
    return hashlib.shake_256(message).digest(length)


def ternary(data, n):
    return [b % 3 - 1 for b in data if b != 255][:n]


def binomial21(data, n):
    samples = []
    for start in range(0, len(data), BLOCK):
        block = int.from_bytes(data[start : start + BLOCK], "little")
        for i in range(25):
            bits = block >> (42 * i) & (2**42 - 1)
            samples.append((bits & (2**21 - 1)).bit_count() - (bits >> 21).bit_count())
    return samples[:n]


def uniform(data, q, n):
    width = 4 if q < 2**31 else 8 if q < 2**64 else 16
    words = (int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width))
    masked = (word & (1 << q.bit_length()) - 1 for word in words)
    return [word for word in masked if word < q][:n]


def flood(data, bits, n):
    words = (int.from_bytes(data[i : i + 8], "little") for i in range(0, 8 * n, 8))
    return [(word & 2 ** (bits + 1) - 1) - 2**bits for word in words]


def main():
    seed = bytes(range(32))
    rows = [("ternary s 0", ternary(stream(seed, "s", 0), 1024))]
    rows.append(("binomial21 ckks.e0 3", binomial21(stream(seed, "ckks.e0", 3), 256)))
    for q in (97, 2**30 - 35, 2**31 + 11, 3 * 2**50 + 1, 2**62 - 57, 2**64 + 13, 2**127 - 1):
        rows.append((f"uniform a 513 {q}", uniform(stream(seed, "a", 513), q, 64)))
    for bits in (0, 1, 40, 62):
        rows.append((f"flood f 0 {bits}", flood(stream(seed, "f", 0), bits, 64)))
    with open("samplers.txt", "w") as file:
        file.write("# Written by samplers.py. Seed 00 01 .. 1f; ")
        file.write("sampler, stream, tower, parameter: values.\n")
        for title, values in rows:
            file.write(f"{title}: {' '.join(map(str, values))}\n")


if __name__ == "__main__":
    main()
