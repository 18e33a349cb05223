"""The number of typos between two words is the one that an established library gives."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from waypost.registry.world import load
from waypost.safety.brand_index import brand_index_of
from waypost.safety.typos import typos

WORDS = st.text("abcd", max_size=12) | st.text("abcdefghijklmnopqrstuvwxyz", max_size=12)


@st.composite
def mistyped(draw: st.DrawFn) -> tuple[str, str]:
    """A word, and the word with up to three typos."""
    word = draw(WORDS)
    letters = list(word)
    for _ in range(draw(st.integers(0, 3))):
        at, letter = draw(st.integers(0, max(len(letters) - 1, 0))), draw(st.sampled_from("abcd"))
        match draw(st.sampled_from(["insert", "leave out", "replace", "swap"])):
            case "insert":
                letters.insert(at, letter)
            case "leave out":
                del letters[at : at + 1]
            case "replace":
                letters[at : at + 1] = letter
            case _:
                letters[at : at + 2] = reversed(letters[at : at + 2])
    return word, "".join(letters)


@given(mistyped() | st.tuples(WORDS, WORDS), st.integers(0, 3))
@example(("ca", "abc"), 3)
@example(("", "ab"), 1)
def test_two_words_have_as_many_typos_as_rapidfuzz_counts(words: tuple[str, str], most: int) -> None:
    assert typos(*words, most) == OSA.distance(*words, score_cutoff=most)


@pytest.mark.parametrize(
    ("word", "token", "expected"),
    [("paypla", "paypal", 1), ("netfliix", "netflix", 1), ("gogle", "google", 1), ("micorsfot", "microsoft", 2)],
)
def test_a_typo_inserts_omits_replaces_or_swaps_a_letter(word: str, token: str, expected: int) -> None:
    assert typos(word, token, 2) == expected


def test_a_digit_imitates_inside_names_of_three_letters() -> None:
    names = brand_index_of(load())

    imitated = names.whole_disguise("dh1")

    assert imitated is not None
    assert imitated.brand.slug == "dhl"
    assert names.tokens["ibk"].brand.official_domains
    assert names.whole_disguise("1bk") is None


@pytest.mark.parametrize("word", ["zellen", "kranken", "reddito", "michael", "welle"])
def test_words_of_other_languages_near_brands_are_not_typos(word: str) -> None:
    assert brand_index_of(load()).near(word) is None
