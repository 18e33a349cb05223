"""Validation of structured data: findings with location, authority and hint, and eligibility for rich results."""

from waypost.validate.pipeline import validate_data, validate_page, validate_parsed
from waypost.validate.summary import build_report

__all__ = ["build_report", "validate_data", "validate_page", "validate_parsed"]
