"""Prices written for people, as the plain number that they can only mean."""

from __future__ import annotations

import pytest

from waypost.formats.prices import plain_price


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("$1,299.00", "1299.00"),
        ("R$ 1.299,90", "1299.90"),
        ("฿1,250.00", "1250.00"),
        ("Rs. 1,499.00", "1499.00"),
        ("₹1,49,999", "149999"),
        ("12 990 Ft", "12990"),
        ("49,99 zł", "49.99"),
        ("12 руб.", "12"),
        ("¥3,980", "3980"),
        ("250.000₫", "250000"),
        ("Rp 150.000", "150000"),
        ("299:-", "299"),
        ("1.299,- €", "1299"),
        ("free", "0"),
    ],
)
def test_a_price_with_one_reading_is_a_plain_number(written: str, plain: str) -> None:
    assert plain_price(written) == plain


@pytest.mark.parametrize("written", ["1.299", "1,299 €", "5 - 10", "from 5", "1,49,9", "12-", "-", ""])
def test_price_with_two_readings_or_none_is_left_alone(written: str) -> None:
    assert plain_price(written) is None
