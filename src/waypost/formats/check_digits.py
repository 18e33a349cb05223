"""Check digits of GTIN, ISBN-10 and ISSN."""

from __future__ import annotations


def gs1_check_digit(digits: str) -> int:
    """Check digit of a GTIN, from the digits before the last (GS1 General Specifications, 7.9)."""
    total = sum(int(digit) * (3 if n % 2 == 0 else 1) for n, digit in enumerate(reversed(digits)))
    return -total % 10


def isbn10_check_digit(digits: str) -> str:
    """Check character of an ISBN-10, from the first nine digits (ISO 2108); X is ten."""
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, range(10, 1, -1), strict=True)) % 11
    return "X" if rest == 10 else str(rest)


def issn_check_digit(digits: str) -> str:
    """Check character of an ISSN, from the first seven digits (ISO 3297); X is ten."""
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, range(8, 1, -1), strict=True)) % 11
    return "X" if rest == 10 else str(rest)
