"""Products of the pages of a run by the identifiers under which rows of a feed find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from waypost.validate.feeds.products import PageProducts, Product

By = Literal["gtin", "mpn", "id", "url"]
Ref: TypeAlias = tuple[int, int]
"""Number of a page, and of a product on it."""

_TRACKING = ("utm_", "gclid", "gbraid", "wbraid", "fbclid", "msclkid", "srsltid", "dclid", "_ga", "mc_", "ref_src")
_INDEXES = ("/index.html", "/index.htm", "/index.php")
_MOST_OF_KEY = 50
_MOST_FOLDERS = 12


class Match(NamedTuple):
    """Products of a row. `by`: how they were found."""

    by: By
    refs: list[Ref]


class ProductIndex:
    """Identifiers -> products. Keys are digests, so that memory does not grow with the length of identifiers."""

    def __init__(self) -> None:
        self._refs: dict[bytes, Ref | list[Ref]] = {}
        self._pages_by_path: dict[bytes, int] = {}
        self._counts: dict[int, int] = {}
        self.main = 0

    def add(self, number: int, page: PageProducts, file: str | None = None) -> None:
        """Add the products of a page. `file`: its path, for a page whose address is not known."""
        self._counts[number] = len(page.products)
        self.main += sum(each.is_main for each in page.products) or len(page.products) == 1
        for path in _paths(page.url, file):
            # A path of several pages, as of two hosts, finds none.
            key = _key("path", path)
            self._pages_by_path[key] = number if self._pages_by_path.get(key, number) == number else -1
        if page.url:
            self._put(_key("page", normal_url(page.url)), (number, -1))
        for position, product in enumerate(page.products):
            for key in _keys(product):
                self._put(key, (number, position))

    def _put(self, key: bytes, ref: Ref) -> None:
        known = self._refs.get(key)
        if known is None:
            self._refs[key] = ref
        elif isinstance(known, list):
            if len(known) < _MOST_OF_KEY:
                known.append(ref)
        elif known != ref:
            self._refs[key] = [known, ref]

    def _get(self, kind: str, text: str) -> list[Ref]:
        known = self._refs.get(_key(kind, text))
        return known if isinstance(known, list) else [known] if known is not None else []

    def match(self, texts: Mapping[str, str]) -> Match | None:
        """Products of a row: by its identifiers on the page of its link, else anywhere, else the only one there."""
        url = normal_url(texts.get("link", "")) if texts.get("link") else ""
        exact = self._get("url", url) if url else []
        pages = {page for page, _ in self._get("page", url)} if url else set()
        if url and not pages:
            pages = {page for page, _ in exact} or self._by_path(texts["link"])
        for by, refs in self._by_ids(texts):
            inside = [ref for ref in refs if ref[0] in pages]
            if inside:
                return Match(by, inside)
            if refs and not pages:
                return Match(by, refs)
        exact = [ref for ref in exact if not pages or ref[0] in pages] or exact
        if len(exact) == 1:
            return Match("url", exact)
        only = [page for page in pages if self._counts.get(page) == 1]
        return Match("url", [(only[0], 0)]) if len(only) == 1 else None

    def _by_ids(self, texts: Mapping[str, str]) -> Iterator[tuple[By, list[Ref]]]:
        if gtin := normal_gtin(texts.get("gtin", "")):
            yield "gtin", self._get("gtin", gtin)
        if texts.get("mpn") and texts.get("brand"):
            yield "mpn", self._get("mpn", f"{_flat(texts['mpn'])}\0{_flat(texts['brand'])}")
        for name in ("sku", "id"):
            if text := texts.get(name):
                yield "id", self._get("sku", _flat(text))

    def _by_path(self, link: str) -> set[int]:
        found = {self._pages_by_path.get(_key("path", path), -1) for path in _paths(link, None)}
        return found - {-1}


def _keys(product: Product) -> Iterator[bytes]:
    for text in product.ids.get("gtin", ()):
        if gtin := normal_gtin(text):
            yield _key("gtin", gtin)
    for mpn in product.ids.get("mpn", ()):
        yield from (_key("mpn", f"{_flat(mpn)}\0{_flat(brand)}") for brand in product.ids.get("brand", ()))
    yield from (_key("sku", _flat(text)) for text in product.ids.get("sku", ()))
    yield from (_key("url", normal_url(url)) for url in product.urls)


def _key(kind: str, text: str) -> bytes:
    return blake2b(f"{kind}\0{text}".encode("utf-8", "replace"), digest_size=10).digest()


def is_other_gtin(texts: Mapping[str, str], product: Product) -> bool:
    """Have a row and a product GTINs, and no common one? They are two products then, whatever else they share."""
    own = normal_gtin(texts.get("gtin", ""))
    others = {gtin for text in product.ids.get("gtin", ()) if (gtin := normal_gtin(text))}
    return bool(own and others) and own not in others


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def normal_gtin(text: str) -> str:
    """GTIN with 14 digits; empty for another text."""
    digits = text.replace("-", "").replace(" ", "")
    is_gtin = digits.isascii() and digits.isdecimal() and 8 <= len(digits) <= 14
    return digits.zfill(14) if is_gtin and digits.strip("0") else ""


def normal_url(text: str) -> str:
    """Address without what makes no other page: scheme, www, fragment, parameters of campaigns, a slash at the end."""
    try:
        parts = urlsplit(text.strip())
        query = parts.query
        if query:
            pairs = parse_qsl(query, keep_blank_values=True)
            query = urlencode(sorted(pair for pair in pairs if not pair[0].casefold().startswith(_TRACKING)))
    except ValueError:
        return text
    host = parts.netloc.casefold().removeprefix("www.")
    return f"{host}{_path(parts.path)}{'?' * bool(query)}{query}"


def _path(path: str) -> str:
    for index in _INDEXES:
        path = path.removesuffix(index)
    return path.rstrip("/")


def _paths(url: str | None, file: str | None) -> Iterable[str]:
    """Path of an address; for a file the ends of its path, as it may stand in the folder of a site."""
    if url:
        _, slash, path = normal_url(url).partition("/")
        return [f"/{path}"] if slash else ["/"]
    if not file:
        return []
    parts = _path(f"/{file}").removesuffix(".html").removesuffix(".htm").split("/")[1:]
    return [f"/{'/'.join(parts[number:])}" for number in range(min(len(parts), _MOST_FOLDERS))]
