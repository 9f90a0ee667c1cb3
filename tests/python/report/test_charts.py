"""Charts draw what they are given: places on logarithmic axes, and shares of time."""

from __future__ import annotations

import re

import pytest

from ringwright.report import chart, roofs, scatter


def point(name: str, share: float, intensity: float, peak: float = 1e11) -> roofs.Point:
    rate = 1e12
    return roofs.Point(name, intensity, share * min(peak, intensity * rate), peak, rate)


def circles(svg: str) -> list[tuple[float, float]]:
    found = re.findall(r"<circle [^>]*cx='([\d.]+)' cy='([\d.]+)'", svg)
    return [(float(x), float(y)) for x, y in found]


def corners(svg: str) -> list[list[tuple[float, float]]]:
    lines = re.findall(r"<polyline [^>]*points='([^']+)'", svg)
    return [[tuple(map(float, each.split(","))) for each in line.split()] for line in lines]  # type: ignore[misc]


def height_of_roof(line: list[tuple[float, float]], x: float) -> float:
    (x0, y0), (x1, y1), _ = line
    return y1 if x >= x1 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


@pytest.mark.parametrize("intensity", [0.01, 0.09, 0.1, 3.0])
@pytest.mark.parametrize("share", [0.05, 0.7, 1.0])
def test_a_point_is_drawn_on_or_below_its_roof(intensity: float, share: float) -> None:
    svg = roofs.roofs([point("a", share, intensity)])
    ((x, y),), (line,) = circles(svg), corners(svg)
    roof = height_of_roof(line, x)
    # Pages count downward.
    assert y >= roof - 0.2
    assert (y - roof < 0.2) == (share == 1.0)


def test_machines_with_the_same_roofs_share_a_line() -> None:
    points = [point("a", 0.5, 0.02), point("b", 0.9, 0.3), point("c<d", 0.5, 0.3, peak=2e11)]
    svg = roofs.roofs(points)
    assert len(corners(svg)) == 2
    assert len(circles(svg)) == 3
    assert "a, b: 100\u202fG products/s" in svg
    assert "c&lt;d" in svg
    assert "c<d" not in svg


def test_bins_are_as_busy_as_their_boxes() -> None:
    length = 10.0
    boxes = [chart.Box("u", start / 100, (start + 0.4) / 100, "x", "") for start in range(1000)]
    boxes.append(chart.Box("v", 2.5, 7.5, "y", ""))
    drawn = chart.binned(boxes, length)
    for track, style, busy in (("u", "x", 0.4 * length), ("v", "y", 5.0)):
        mine = [box for box in drawn if box.track == track]
        assert {box.style for box in mine} == {style}
        assert sum((box.end - box.start) * box.share for box in mine) == pytest.approx(busy)
        assert all(0 < box.share <= 1 for box in mine)


def test_points_lie_by_their_quantities_and_the_best_are_joined() -> None:
    made = [scatter.Point(f"p{i}", "s", 10.0**i, 10.0**-i) for i in range(3)]
    printed = scatter.Point("p<1", "", 10.0, 0.1)
    asked = scatter.Scatter(made, {"s": "calm"}, made[:2], ("mm2", "us"), [printed])
    picture = scatter.scatter(asked)
    places, (line,) = circles(picture.drawing), corners(picture.drawing)
    assert line == places[:2]
    assert places[1][0] - places[0][0] == pytest.approx(places[2][0] - places[1][0], abs=0.2)
    assert [y for _, y in places] == sorted(y for _, y in places)
    assert "published, p&lt;1" in picture.drawing
    # Of two names for one place each finds a side; a third has its tooltip alone.
    crowd = scatter.Scatter(made, {"s": "calm"}, [made[1]] * 3, ("mm2", "us"))
    assert scatter.scatter(crowd).drawing.count(">p1</text>") == 2
