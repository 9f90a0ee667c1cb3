"""Numbers with units: no exponents, and a unit that stays one after rounding."""

from __future__ import annotations

import pytest

from ringwright.ledger import duration_text
from ringwright.quantity import BYTES, JOULES, SECONDS, scaled, significant


@pytest.mark.parametrize("units", [SECONDS, BYTES, JOULES])
@pytest.mark.parametrize("digits", [3, 4])
def test_every_value_is_written_out_in_the_unit_that_suits(units, digits: int) -> None:
    for power in range(-2, 20):
        for mantissa in (1.0, 1.88, 9.99, 9.9999, 9.99999999):
            value = mantissa * 10.0**power * units[0][1]
            number, unit = scaled(value, units, digits)
            assert "e" not in number
            back = float(number.replace(",", "")) * dict(units)[unit]
            assert back == pytest.approx(value, rel=10.0 ** (1 - digits))
            assert float(number.replace(",", "")) < 1000 or unit == units[-1][0]


def test_a_latency_of_seconds_is_no_power_of_ten() -> None:
    assert scaled(1.88e15, SECONDS) == ("1.88", "s")
    assert significant(1880) == "1,880"
    assert duration_text(round(999.96e12), 3) == "1 s"
    assert scaled(999_999, BYTES) == ("1", "MB")
