"""Search and counts in bytes give the same answers with stringzilla and without."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from waypost.reader import bytescan
from waypost.reader.bytescan import Plain

BYTES = st.one_of(st.binary(max_size=300), st.text(max_size=100).map(str.encode))
WORDS = st.sampled_from([b"\n", b"\r\n", b"a", b"<b", b"\xc3", b"itemprop"]) | st.binary(min_size=1, max_size=3)


@given(BYTES, WORDS, st.integers(0, 320), st.integers(0, 320))
def test_words_are_found_and_counted_alike(data: bytes, word: bytes, start: int, end: int) -> None:
    data += word + data
    start, end = min(start, len(data)), min(max(start, end), len(data))

    for name in ("find", "rfind", "count"):
        fast, plain = getattr(bytescan, name), getattr(Plain, name)
        assert fast(data, word) == plain(data, word)
        assert fast(data, word, start) == plain(data, word, start)
        assert fast(data, word, start, end) == plain(data, word, start, end)


@given(st.text(max_size=200))
def test_characters_are_counted_alike(text: str) -> None:
    assert bytescan.utf8_count(text.encode()) == Plain.utf8_count(text.encode()) == len(text)


@given(st.binary(max_size=300))
def test_letters_are_lowered_alike(data: bytes) -> None:
    assert bytescan.lower(data) == Plain.lower(data) == data.lower()


def test_pages_are_read_where_stringzilla_is_missing() -> None:
    code = (
        "import sys\nsys.modules['stringzilla'] = None\n"
        "from waypost.validate import validate_page\n"
        'page = \'<script type=application/ld+json>{"@context":"https://schema.org","@type":"Thing"}</script>\'\n'
        "print(len(validate_page((page + '<p>caf\u00e9</p>' * 2000).encode()).items))"
    )
    found = subprocess.run([sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "1\n"
