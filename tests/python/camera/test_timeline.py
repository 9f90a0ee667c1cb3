"""The Perfetto trace, read with nothing but the protobuf wire format.

Wire format: https://protobuf.dev/programming-guides/encoding. Field numbers: Perfetto's
trace_packet.proto, track_event.proto, track_descriptor.proto, debug_annotation.proto.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ringwright import camera
from ringwright.camera.stages import RESOURCES, SERVER

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
TRACE_PACKET = 1
PACKET_TIMESTAMP, PACKET_TRACK_EVENT, PACKET_TRACK_DESCRIPTOR = 8, 11, 60
DESCRIPTOR_UUID, DESCRIPTOR_NAME = 1, 2
EVENT_ANNOTATIONS, EVENT_TYPE, EVENT_TRACK, EVENT_NAME = 4, 9, 11, 23
ANNOTATION_UINT, ANNOTATION_NAME = 3, 10
SLICE_BEGIN, SLICE_END = 1, 2
FS_PER_NS = 10**6


@dataclass
class Slice:
    track: str
    name: str
    depth: int
    start_ns: int
    end_ns: int
    duration_fs: int


@pytest.fixture(scope="module")
def slices(motion_film: camera.Film) -> list[Slice]:
    return list(read_slices(motion_film.runs[0].timeline.to_bytes()))


def test_there_is_one_track_per_unit(slices: list[Slice]) -> None:
    assert {piece.track for piece in slices} == set(RESOURCES)


def test_begin_and_end_nest(slices: list[Slice]) -> None:
    # read_slices has paired every end with the innermost begin of its track.
    assert slices
    assert all(piece.start_ns <= piece.end_ns for piece in slices)
    assert any(piece.depth == 1 for piece in slices), "kernels show their ciphertexts"


def test_operations_lie_inside_their_ciphertext(
    slices: list[Slice], motion_film: camera.Film
) -> None:
    row = motion_film.runs[0].row
    busy = {op["op"]: op["busy_fs"] for op in row["operations"] if op["busy_fs"] is not None}
    found: dict[str, int] = defaultdict(int)
    for piece in slices:
        if piece.depth == 2:
            assert piece.track == SERVER
            found[piece.name] += piece.duration_fs
    assert found
    assert dict(found) == busy


def test_durations_equal_the_ledger(slices: list[Slice], motion_film: camera.Film) -> None:
    found: dict[str, int] = defaultdict(int)
    for piece in slices:
        if piece.depth == 0:
            found[piece.name] += piece.duration_fs
    ledger = motion_film.runs[0].row["ledger"]
    busy = {entry["stage"]: entry["busy_fs"] for entry in ledger if entry["busy_fs"]}
    assert dict(found) == busy


def test_time_on_the_axis_is_the_time_in_the_annotation(slices: list[Slice]) -> None:
    for piece in slices:
        shown = (piece.end_ns - piece.start_ns) * FS_PER_NS
        assert abs(shown - piece.duration_fs) < FS_PER_NS


def test_the_last_slice_ends_with_the_run(slices: list[Slice], motion_film: camera.Film) -> None:
    total_fs = motion_film.runs[0].row["total_fs"]
    assert max(piece.end_ns for piece in slices) == total_fs // FS_PER_NS


def read_slices(trace: bytes) -> Iterator[Slice]:
    """Pairs begin and end events per track; fails where they do not nest."""
    names: dict[int, str] = {}
    stacks: dict[int, list[Slice]] = defaultdict(list)
    latest: dict[int, int] = defaultdict(int)
    for number, packet in fields(trace):
        assert number == TRACE_PACKET
        content = dict(fields(packet))
        if PACKET_TRACK_DESCRIPTOR in content:
            described = dict(fields(content[PACKET_TRACK_DESCRIPTOR]))
            names[described[DESCRIPTOR_UUID]] = described[DESCRIPTOR_NAME].decode()
        if PACKET_TRACK_EVENT not in content:
            continue
        event = dict(fields(content[PACKET_TRACK_EVENT]))
        track, at = event[EVENT_TRACK], content.get(PACKET_TIMESTAMP, 0)
        assert latest[track] <= at, "events of a track stand in order"
        latest[track] = at
        if event[EVENT_TYPE] == SLICE_BEGIN:
            duration = annotations(content[PACKET_TRACK_EVENT])["duration_fs"]
            depth = len(stacks[track])
            name = event[EVENT_NAME].decode()
            stacks[track].append(Slice(names[track], name, depth, at, at, duration))
        else:
            assert event[EVENT_TYPE] == SLICE_END
            piece = stacks[track].pop()
            piece.end_ns = at
            yield piece
    assert not any(stacks.values()), "a slice was never ended"


def annotations(event: bytes) -> dict[str, int]:
    found = [dict(fields(value)) for number, value in fields(event) if number == EVENT_ANNOTATIONS]
    return {a[ANNOTATION_NAME].decode(): a.get(ANNOTATION_UINT, 0) for a in found}


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers with their values: integers, or the bytes of what has a length."""
    place = 0
    while place < len(message):
        tag, place = varint(message, place)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, place = varint(message, place)
            yield number, value
        elif wire == LENGTH:
            size, place = varint(message, place)
            assert place + size <= len(message), "a field runs past its message"
            yield number, message[place : place + size]
            place += size
        else:
            size = {EIGHT_BYTES: 8, FOUR_BYTES: 4}[wire]
            yield number, int.from_bytes(message[place : place + size], "little")
            place += size


def varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
