"""What the browser's engine has by hand: the names under which a translated module finds what it imports.

A module that is neither here nor translated cannot be imported by a translated one.
"""

from __future__ import annotations

_COUNTERPARTS = {
    "bisect": {"bisect_left": "below"},
    "html": {"unescape": "unescapedAll"},
    "waypost.formats.check_digits": {
        "gs1_check_digit": "gs1CheckDigit", "isbn10_check_digit": "mod11CheckDigit",
        "issn_check_digit": "mod11CheckDigit",
    },
    "waypost.formats.countries": {"countries": "countries", "country_names": "countryNames", "long_codes": "longCodes"},
    "waypost.formats.currencies": {"currencies": "currencies"},
    "waypost.formats.date_guesses": {
        "both_days": "bothDaysIn", "guess": "guessedDate", "guess_duration": "guessedDuration",
        "guess_time": "guessedTime", "is_closed": "isClosedDay", "of_epoch": "dateOfEpoch", "two_times": "twoTimesIn",
    },
    "waypost.formats.dates": {
        "day_in_words": "dayInWords", "day_number": "dayNumberOf", "day_of": "isoDay", "is_future": "isFuture",
        "is_past": "isPast", "follows_within_a_minute": "followsWithinAMinute", "is_before": "isBefore",
        "is_several_days": "isSeveralDays", "moment": "momentOf", "normal_form": "normalFormOf", "read": "readDate",
        "read_duration": "readDuration", "read_time": "readTime", "starts_at_midnight": "startsAtMidnight",
    },
    "waypost.formats.languages": {"is_language_tag": "isLanguageTag"},
    "waypost.formats.numbers": {
        "LARGEST_EXACT": "LARGEST_EXACT", "as_written": "modelNumber", "digits_of": "digitsOf", "is_exact": "isExact",
        "is_plain_integer": "isPlainInteger",
        "is_whole": "isWhole", "number": "number", "price": "priceNumber", "rating": "rating", "spelling": "canonical",
        "plain_number": "plainNumber", "tenths": "tenths", "thousands": "thousands",
    },
    "waypost.formats.placeholders": {
        "CHECKED_LENGTH": "CHECKED_LENGTH", "LONGEST_TITLE": "LONGEST_TITLE", "TEMPLATE": "PLACEHOLDER_MARKS",
        "is_left_over": "isLeftOver", "is_placeholder": "isPlaceholder", "is_unfilled": "isUnfilled",
        "is_sample": "isSample", "may_be_sample": "mayBeSample",
    },
    "waypost.formats.prices": {
        "plain_price": "plainPriceOf", "price_currency": "currencyMarkOf", "written_number": "writtenNumberOf",
        "written_range": "writtenRangeOf",
    },
    "waypost.formats.text": {
        "clip": "clip", "cut": "cut", "join_words": "joinWords", "one_letter_less": "oneLetterLess",
        "spelled": "spelled",
        "squeezed": "squeezed", "unescaped": "unescaped", "untagged": "withoutTags", "without_hidden": "withoutHidden",
    },
    "waypost.formats.urls": {
        "RUNNABLE": "RUNNABLE", "is_identifier": "isIdentifier", "is_web_address": "isWebAddress",
        "is_local_host": "isLocalHost", "parse_url": "address",
        "runs_script": "runsScript", "scheme_of": "schemeOf", "with_scheme_fixed": "withSchemeFixed",
    },
    "waypost.formats.web_addresses": {
        "LONGEST": "LONGEST_ADDRESS", "address": "absolute", "address_parts": "addressParts", "as_uri": "asUri",
        "without_percents": "unquoted",
    },
    "waypost.models.page": {"is_present": "isPresent"},
    "waypost.preview.places": {"place_data": "placeData"},
    "waypost.registry.vocabulary": {
        "DATA_TYPES": "DATA_TYPES", "bare": "bare", "is_misspelled_schema_org": "isMisspelledHome",
    },
    "waypost.validate.displayed.compare": {"differences": "differencesFrom"},
    "waypost.validate.displayed.word_lists": {"visible_words": "visibleWords"},
    "waypost.validate.item": {
        "describe": "subjectOf", "is_between_tags": "isBetweenTags", "kind_of_place": "placeOf",
    },
    "waypost.validate.profiles.costs": {"costs_result": "costsResult"},
    "waypost.validate.profiles.nodes": {"holders": "linksOf", "text_of": "textOf"},
    "waypost.validate.table_rules": {"count_suffix": "countSuffix"},
    "waypost.validate.value_kinds": {
        "KINDS": "KINDS", "LINKS": "ADDRESSED", "did_you_mean": "didYouMean", "end_of": "endOfName",
        "holders": "linksOf", "is_property_of": "belongs", "is_value_of": "isValueOf",
        "may_be_defined_elsewhere": "mayBeDefinedElsewhere", "may_be_value_of": "fits",
        "nearest": "nearestNames", "rename_edits": "renamed",
    },
}  # fmt: skip
COUNTERPARTS = {f"{module}.{name}": js for module, names in _COUNTERPARTS.items() for name, js in names.items()}
"""Dotted name of a function or constant -> its name in the engine."""

CLASSES = {
    "waypost.models.page.Node": "Thing",
    "waypost.validate.item.Item": "Item",
}
"""Class -> class of the engine. Other classes are NamedTuples and Structs: objects with their fields."""

TESTS = {
    "str": 'typeof {0}==="string"', "bool": 'typeof {0}==="boolean"',
    "int": "isInteger({0})", "float": "isFloat({0})", "Decimal": "({0} instanceof Num&&!{0}.whole)",
    "dict": "{0} instanceof Map", "list": "Array.isArray({0})",
    "waypost.models.page.Node": "{0} instanceof Thing",
    "waypost.formats.dates.Moment": "isMoment({0})", "waypost.formats.dates.TimeOfDay": "isTimeOfDay({0})",
    "waypost.formats.dates.InvalidDate": "isInvalidDate({0})",
}  # fmt: skip
"""Type -> test for `isinstance`."""

ATTRIBUTES = {
    "waypost.formats.dates.InvalidDate.kind": "error",
    "waypost.models.page.Block.literal": "spelled",
    "waypost.models.page.Page.source_of": "home",
    "waypost.models.page.Page.visible_texts": "visible",
    "waypost.validate.profiles.model.Gap.of_holder": "held",
    "waypost.registry.vocabulary.Vocabulary.type_ignoring_case": "intendedType",
    "waypost.registry.vocabulary.Vocabulary.property_ignoring_case": "intendedProperty",
}
"""Attribute whose name in the engine is not its own in camel case."""

AS_IN_JSON = (
    "waypost.models.snippet",
    "waypost.models.surface",
    "waypost.preview.catalogue",
    "waypost.preview.results",
)
"""Modules whose Structs are objects of JSON in the engine, under the names of their fields there."""

RECORDS = frozenset({"waypost.models.page.ReadError.detail"})
"""Dictionaries that are plain objects in the engine."""


OF_PLACES = ("waypost.reader.visible", "waypost.validate.displayed.")
"""Beginnings of modules that look for places in a page: theirs are those of the engine, UTF-16 units. A length that is
compared with a limit, a constant or a parameter `most`, counts code points as everywhere."""


def camel(name: str) -> str:
    """`span_of` as `spanOf`."""
    first, *rest = name.lstrip("_").split("_")
    return "_" * name.startswith("_") + first + "".join(part[:1].upper() + part[1:] for part in rest)
