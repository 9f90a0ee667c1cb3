"""The timeline: spans on tracks, one track per unit, saved as a Perfetto trace.

The trace is TrackEvent protobuf (https://perfetto.dev/docs/reference/trace-packet-proto) for
https://ui.perfetto.dev. Its clock counts nanoseconds, so begin and end are floored to whole
nanoseconds (floor keeps the nesting); the exact femtoseconds stand beside every begin event in
the debug annotations `start_fs` and `duration_fs`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ringwright import _ringwright as native
from ringwright.storage import write_whole

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

__all__ = ["Span", "Timeline"]

FS_PER_NS = 1_000_000
_SEQUENCE = 1


@dataclass(frozen=True)
class Span:
    """One thing that a unit did, `[start_fs, end_fs)` in femtoseconds from the start."""

    track: str
    name: str
    start_fs: int
    end_fs: int
    args: Mapping[str, str] = field(default_factory=dict)

    @property
    def duration_fs(self) -> int:
        """Length in femtoseconds."""
        return self.end_fs - self.start_fs


@dataclass(frozen=True)
class Timeline:
    """Spans in stable order; on one track they nest or stand apart."""

    spans: tuple[Span, ...]

    @classmethod
    def of(cls, schedule: native.Schedule | native.Execution) -> Timeline:
        """The timeline of a native schedule, or of a program on a simulated machine."""
        return cls(
            tuple(Span(s.track, s.name, s.start_fs, s.end_fs, s.args) for s in schedule.timeline())
        )

    def __repr__(self) -> str:
        tracks = len({span.track for span in self.spans})
        return f"<timeline of {len(self.spans)} spans on {tracks} tracks>"

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def tracks(self) -> tuple[str, ...]:
        """The units, in order of first appearance."""
        return tuple(dict.fromkeys(span.track for span in self.spans))

    def to_bytes(self) -> bytes:
        """The Perfetto trace as bytes; the same timeline gives the same bytes."""
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

        trace = Trace()
        for number, track in enumerate(self.tracks, start=1):
            _describe_track(trace, number, track)
            for span, begins in _events([s for s in self.spans if s.track == track]):
                _write_event(trace, number, span, begins)
        return bytes(trace.SerializeToString())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the trace to `path`, whole or not at all; returns the path.

        Raises `StorageError` when the file cannot be written.
        """
        return write_whole(path, self.to_bytes())


def _events(spans: list[Span]) -> Iterator[tuple[Span, bool]]:
    """Begin (True) and end (False) events of one track in order of time, properly nested."""
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start_fs, -s.end_fs)):
        while open_spans and open_spans[-1].end_fs <= span.start_fs:
            yield open_spans.pop(), False
        open_spans.append(span)
        yield span, True
    while open_spans:
        yield open_spans.pop(), False


def _describe_track(trace: Trace, number: int, name: str) -> None:
    packet = trace.packet.add()
    packet.trusted_packet_sequence_id = _SEQUENCE
    if number == 1:
        packet.sequence_flags = packet.SEQ_INCREMENTAL_STATE_CLEARED
    packet.track_descriptor.uuid = number
    packet.track_descriptor.name = name
    packet.track_descriptor.sibling_order_rank = number


def _write_event(trace: Trace, track: int, span: Span, begins: bool) -> None:
    packet = trace.packet.add()
    packet.trusted_packet_sequence_id = _SEQUENCE
    packet.timestamp = (span.start_fs if begins else span.end_fs) // FS_PER_NS
    event = packet.track_event
    event.track_uuid = track
    event.type = event.TYPE_SLICE_BEGIN if begins else event.TYPE_SLICE_END
    if begins:
        event.name = span.name
        _annotate(event, span)


def _annotate(event: TrackEvent, span: Span) -> None:
    for name, value in (("start_fs", span.start_fs), ("duration_fs", span.duration_fs)):
        annotation = event.debug_annotations.add()
        annotation.name = name
        annotation.uint_value = value
    for name, text in span.args.items():
        annotation = event.debug_annotations.add()
        annotation.name = name
        annotation.string_value = text
