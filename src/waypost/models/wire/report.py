"""Report of a run: words of the schema for the structs of `waypost.models.finding`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.finding import (
    Absence,
    Advice,
    ChangedValue,
    Compared,
    DeniedRequest,
    Edit,
    FeedCounts,
    Fetch,
    FileReport,
    Finding,
    Fix,
    ItemReport,
    Lapse,
    NodeVerdict,
    NotEligible,
    Related,
    RenderedChange,
    RenderedPlace,
    Rendering,
    Report,
    Summary,
    Suppression,
    WrittenIn,
)
from waypost.models.wire.common import Closed, defined, described, named, published

Profile = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9-]+/[a-z0-9-]+$",
        description="What a consumer requires for one rich result, such as google/recipe.",
    ),
    named("profile"),
]
Syntax = Annotated[
    Literal["json-ld", "microdata", "rdfa"], Meta(description="What the item is written in."), named("syntax")
]
Offset = Annotated[int, Meta(ge=0, description="Bytes from the beginning of the file as given."), named("offset")]
Line = Annotated[int, Meta(ge=1, description="The line, from 1; LF, CRLF and a lone CR each end one."), named("line")]
Column = Annotated[
    int, Meta(ge=1, description="The column in code points, from 1; a byte-order mark is none."), named("column")
]


@defined("tool")
class Tool(Closed, frozen=True, kw_only=True):
    """What wrote the report."""

    name: Annotated[Literal["waypost"], Meta(description="Always waypost.")]
    version: Annotated[str, Meta(description="Its version.")]


described(
    FileReport,
    "File",
    "The report about one page.",
    definition="file",
    always=("items", "findings"),
    path=Meta(description='The file or address as it was named; "-" for standard input without a name.'),
    items=Meta(
        description="The root items in document order; an item that another one holds or refers to is not listed."
    ),
    findings=Meta(description="The errors in the order of their places."),
    verdicts=Meta(
        min_length=1,
        description="The rich results of each node that was evaluated, root or not, in the order of "
        "their places: what it earns, what it misses and why, and what is no longer shown.",
    ),
    absence=Meta(),
    suppressed=Meta(
        min_length=1,
        description="What was found and does not count, each with its suppression; present only on request.",
    ),
    secondary=Annotated[
        Any,
        Meta(
            description="What syntaxes say that are listed on request and not checked.",
            extra_json_schema={
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "opengraph": {"type": "array", "items": {}, "description": "Open Graph, as extruct gives it."},
                    "microformat": {
                        "type": "array",
                        "items": {},
                        "description": "Microformats 2, as extruct gives them.",
                    },
                    "dublincore": {
                        "type": "array",
                        "items": {},
                        "description": "Dublin Core in meta elements, as extruct gives it.",
                    },
                    "rdfa-full": {"type": "array", "items": {}, "description": "All of RDFa 1.1, as expanded JSON-LD."},
                },
            },
        ),
    ],
    advice=Meta(
        min_length=1,
        description="Settings and templates of the programs that made the page, which findings name by their index.",
    ),
    error=Meta(description="Why the page could not be read. Then there are no items and no findings."),
    truncated=Meta(description="True when the page has more findings than are kept."),
    fetch=Meta(),
    feed=Meta(),
    unread=Annotated[
        Absence,
        Meta(
            description="What holds more structured data and was not read, as a script that writes more. "
            "Present only for a page with items."
        ),
    ],
    rendering=Annotated[
        Rendering,
        Meta(
            description="The page after its scripts, with --render. Findings that only one of the two pages has are "
            "marked by their page; absence is then about both."
        ),
    ],
)
described(
    Rendering,
    "Rendering",
    "The page after its scripts, next to the page as it is sent.",
    definition="rendering",
    outcome=Meta(description="Whether the scripts could be run."),
    why=Meta(min_length=1, description="Why there is no page after scripts."),
    url=Meta(description="The address at the end, if a script went to another one."),
    items=Meta(min_length=1, description="The root items after scripts; lines are those of the rendered page."),
    verdicts=Meta(min_length=1, description="The rich results of each node after scripts."),
    absence=Meta(),
    changes=Meta(min_length=1, description="The items that differ from those of the page as it is sent."),
    requests=Meta(ge=1, description="How many requests of the page were answered."),
    denied=Meta(min_length=1, description="Requests of the page that were not made."),
    errors=Meta(min_length=1, description="The first errors of its scripts."),
)
described(
    RenderedChange,
    "Change by scripts",
    "An item that scripts add, remove or change.",
    definition="rendered_change",
    kind=Meta(
        description="added: it exists only after scripts. removed: scripts remove it. changed: its values differ."
    ),
    types=Meta(description="As in an item."),
    name=Meta(min_length=1, max_length=120, description="As in an item."),
    syntax=Syntax,
    line=Annotated[Line, Meta(description="Its line in the file as given; absent for an added item.")],
    rendered_line=Annotated[Line, Meta(description="Its line in the rendered page; absent for a removed item.")],
    values=Meta(min_length=1, description="The values that differ, at most 20."),
    script=Meta(
        min_length=1,
        description="The script that wrote it, as address:line:column, where the browser knows it; a file of a "
        "checked folder by its path.",
    ),
)
described(
    ChangedValue,
    "Changed value",
    "A value before and after scripts.",
    definition="changed_value",
    property=Meta(min_length=1, description="Names from the item, as in offers/price."),
    raw=Meta(description="The value in the page as it is sent; absent where it has none."),
    rendered=Meta(description="The value after scripts; absent where there is none."),
)
described(
    DeniedRequest,
    "Denied request",
    "A request of the page that was not made.",
    definition="denied_request",
    kind=Meta(min_length=1, description="The kind of resource, as in fetch or script."),
    host=Meta(description="The host, without path and query."),
    why=Meta(min_length=1, description="The reason."),
    count=Meta(ge=1, description="How often the page requested it."),
)
described(
    RenderedPlace,
    "Place in the rendered page",
    "A place in the page after its scripts, as the browser writes it out.",
    definition="rendered_place",
    line=Line,
    column=Column,
    end_line=Line,
    end_column=Column,
)
described(
    Advice,
    "Advice",
    "The setting or the template of a page's generator from which findings come.",
    definition="advice",
    generator=Meta(description="The program, as in WooCommerce."),
    version=Meta(description="Its version, as far as the page says it."),
    text=Meta(description='What to set or change, behind "Its structured data comes from WooCommerce 8: ".'),
    url=Meta(description="The page that says so."),
)
described(
    Fetch,
    "Fetch",
    "How a page from the web was had.",
    definition="fetch",
    outcome=Meta(
        description="fetched: the server answered, with whatever status. unchanged: what is cached is "
        "still current. disallowed: its robots.txt asks not to. refused: waypost does not go "
        "there. failed: no answer came about. not_fetched: its turn never came."
    ),
    status=Meta(ge=100, le=999, description="The HTTP status of the answer."),
    url=Meta(description="Where the answer came from in the end, if that is not what was requested."),
    attempts=Meta(ge=0, description="How often it was tried, if not once."),
)
described(
    FeedCounts,
    "Feed",
    "Numbers of a feed of products that was compared with the pages of the run.",
    definition="feed",
    format=Meta(description="Form of the feed, a name of the registry; empty where it could not be read."),
    rows=Meta(ge=0, description="Rows that could be read."),
    matched=Annotated[
        Any,
        Meta(
            description="Rows by what their product was found by: gtin, mpn (with the brand), id (or SKU), url.",
            extra_json_schema={"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
        ),
    ],
    rows_without_page=Meta(ge=0, description="Rows whose product is on no page of the run."),
    products_without_row=Meta(ge=0, description="Products that pages are about and that no row has."),
    differing=Meta(ge=0, description="Products in which the feed differs from the page."),
    duplicates=Meta(ge=0, description="Rows whose id an earlier row has."),
    unreadable=Meta(ge=0, description="Rows that cannot be read as they stand."),
)
described(
    NodeVerdict,
    "Verdict",
    "The rich results of one node. A node with three empty lists has a type without a rich result of its own.",
    definition="verdict",
    always=("eligible", "retired"),
    types=Meta(description="As in an item."),
    name=Meta(min_length=1, max_length=120, description="As in an item."),
    id=Meta(description="Its identifier, resolved against the page where that is possible."),
    syntax=Syntax,
    block=Meta(ge=0, description="Which script (JSON-LD) or top-level item (Microdata, RDFa) of the page, from 0."),
    pointer=Meta(description="Its place inside the block, as in a finding."),
    line=Line,
    column=Column,
    item=Meta(ge=0, description="Which of the page's items it is, or is held or referred to by: an index in items."),
    via=Meta(
        description="The property of another node that holds it as content (video, review) or refers to "
        "it (publisher); absent for a root, a main entity and a breadcrumb, which stand for "
        "themselves."
    ),
    eligible=Annotated[
        tuple[Profile, ...],
        Meta(
            description="The rich results whose requirements the node meets. Whether one is shown is the "
            "consumer's choice."
        ),
    ],
    not_eligible=Meta(min_length=1, description="The rich results of its types that the node misses, and why."),
    retired=Annotated[
        tuple[Profile, ...],
        Meta(description="Rich results that this markup was made for and that are shown no longer."),
    ],
    lapsed=Meta(min_length=1, description="Why an eligible result is not shown now: its date is past."),
)
described(
    Absence,
    "Absence",
    "The verdict about a page without structured data. It is not an error: many pages need none.",
    definition="absence",
    reason=Annotated[
        Literal[
            "none",
            "json-without-type",
            "other-vocabulary",
            "challenge",
            "commented-out",
            "linked",
            "script-writes-markup",
            "app-shell",
            "tag-manager",
        ],
        Meta(description="What the page shows about the reason; none where it shows nothing."),
    ],
    text=Meta(min_length=1, description="The same in words."),
    hint=Meta(min_length=1, description="What to do."),
    line=Annotated[Line, Meta(description="The line of the page that shows it.")],
)
described(
    NotEligible,
    "Missed result",
    "A rich result that a node misses.",
    definition="missed",
    profile=Profile,
    count=Meta(ge=1, description="How many different requirements are not met."),
    why=Meta(min_length=1, description="Which ones."),
    severity=Meta(
        description="That of the findings about them: warning where the node earns another result, or "
        "the result is restricted."
    ),
)
described(
    Lapse,
    "Lapse",
    "Why a result that the markup earns is not shown now.",
    definition="lapse",
    kind=Meta(description="What is past."),
    since=Meta(min_length=1, description="The date as the markup writes it."),
    text=Meta(min_length=1, description="The same as a sentence."),
)
described(
    ItemReport,
    "Item",
    "One item that the page describes.",
    definition="item",
    always=("eligible", "retired"),
    types=Meta(
        description="schema.org types by their bare names, letter case corrected; a type of another "
        "vocabulary as it is written."
    ),
    name=Meta(
        min_length=1,
        max_length=120,
        description="What the markup calls it (name, headline or title), on one line, shortened where it is long.",
    ),
    id=Meta(description="Its identifier, resolved against the page where that is possible."),
    syntax=Syntax,
    line=Line,
    column=Column,
    service_type=Meta(description="The snippet that it makes, such as NewsSnippet, if it makes one."),
    eligible=Annotated[
        tuple[Profile, ...],
        Meta(
            description="The rich results whose requirements the markup meets. Whether one is shown is the "
            "consumer's choice."
        ),
    ],
    retired=Annotated[
        tuple[Profile, ...],
        Meta(description="Rich results that this markup was made for and that are shown no longer."),
    ],
)
described(
    Finding,
    "Finding",
    "One error: where it is, by whose authority it is one, and what to do.",
    definition="finding",
    always=("fingerprint",),
    rule=Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="The name of the rule, which is the name of the error."),
    severity=Meta(
        description="error: the consumer will reject or misread it. warning: a recommendation with "
        "effect. info: worth knowing."
    ),
    authority=Meta(
        description="Who says so: the schema.org vocabulary, Google's documentation, waypost itself, "
        "the standard of JSON(-LD) or HTML, or a requirement of the project's own."
    ),
    profile=Annotated[Profile, Meta(description="The profile whose requirement is missed.")],
    message=Meta(min_length=1, description="What is wrong, with the value."),
    hint=Meta(min_length=1, description="What to do."),
    syntax=Annotated[
        Literal["json-ld", "microdata", "rdfa", "html"],
        Meta(description="What the error is written in; html for the page itself."),
    ],
    block=Meta(
        ge=0,
        description="Which script (JSON-LD) or top-level item (Microdata, RDFa) of the page, from 0; "
        "absent for the page itself.",
    ),
    pointer=Meta(
        description="JSON Pointer inside the block; for Microdata and RDFa the names of the properties "
        "from the item, with an index only where one repeats."
    ),
    property=Meta(description="The property in question."),
    start=Annotated[
        Offset, Meta(description="Where the key, value or item begins: bytes from the beginning of the file as given.")
    ],
    end=Annotated[Offset, Meta(description="Where it ends, exclusive, in bytes.")],
    line=Line,
    column=Column,
    end_line=Line,
    end_column=Annotated[Column, Meta(description="The column after the last character, in code points, from 1.")],
    doc_url=Meta(pattern=r"/(rules|profiles)/[a-z0-9/-]+/$", description="The page that explains the rule or profile."),
    fingerprint=Meta(
        description="The same for the same error when lines move, indentation changes or keys change places."
    ),
    search_console=Meta(
        min_length=1,
        description="What Search Console says about it, where its report is known to say exactly one sentence about "
        "the property of the result.",
    ),
    fix=Meta(),
    related=Meta(min_length=1, description="Other places that belong to the error."),
    compared=Meta(min_length=2, description="Values that differ: in the markup, on the page, in a feed."),
    written_in=Meta(),
    page=Meta(
        description="The only one of the two pages that has it, with --render: raw, the page as it is sent, or "
        "rendered, the page after its scripts. What only the raw page has counts as information."
    ),
    rendered=Annotated[
        RenderedPlace,
        Meta(
            description="Its place in the page after scripts. Every other place is one of the file: of the same item, "
            "of the script there that wrote it, or the beginning."
        ),
    ],
    suppression=Meta(),
    item=Meta(
        ge=0,
        description="Which of the page's items it belongs to: an index in items; absent for a finding "
        "about the page itself.",
    ),
    node=Meta(
        description="Name of the node it is about, where the node stands apart from the item, which only "
        "refers to it: Offer 'Spring offer'."
    ),
    verdict=Meta(
        ge=0, description="Which node it belongs to: an index in verdicts; absent for a finding about the page itself."
    ),
    advice=Annotated[
        tuple[Annotated[int, Meta(ge=0)], ...],
        Meta(
            min_length=1, description="What fixes it in the program that made the page: indexes in the page's advice."
        ),
    ],
    scope=Annotated[
        Literal["site"],
        Meta(
            description="It shows only where several pages are checked together, and is reported once, at one of them."
        ),
    ],
)
described(
    Fix,
    "Fix",
    "A repair.",
    definition="fix",
    safe=Meta(description="True when it cannot change what the author meant."),
    edits=Meta(min_length=1, description="To be made together; they do not overlap."),
)
described(
    Edit,
    "Edit",
    "Replace the bytes from start to end (exclusive) with the text.",
    definition="edit",
    start=Offset,
    end=Offset,
    text=Meta(description="In the encoding of the page."),
)
described(
    Suppression,
    "Suppression",
    "Why a finding does not count.",
    definition="suppression",
    kind=Meta(description="Who says so: a word in the page, the configuration, or the baseline of what is known."),
    reason=Meta(min_length=1, description="The reason that was given."),
)
described(
    Related,
    "Related place",
    "Another place that belongs to an error.",
    definition="related",
    message=Meta(min_length=1, description="What is there."),
    line=Line,
    column=Column,
    path=Meta(description="The page, if it is not the one of the finding."),
)
described(
    Compared,
    "Compared value",
    "What one source says, where another one contradicts it.",
    definition="compared",
    source=Meta(
        description="The markup, what people see of the page, or a feed of products; raw and rendered: the page as it "
        "is sent, and after its scripts."
    ),
    value=Meta(min_length=1, description="The value as it stands there, shortened."),
    line=Line,
    column=Column,
    path=Meta(description="The file, if it is not the page of the finding."),
    what=Meta(description="The property in words, where the finding is about several."),
)
described(
    WrittenIn,
    "Source",
    "Where the error of a built page is written, where a search of the sources has one answer.",
    definition="written-in",
    path=Meta(min_length=1, description="The file, from the working folder."),
    line=Line,
)
described(
    Summary,
    "Summary",
    "Counts over all files.",
    definition="summary",
    always=("files", "items", "errors", "warnings", "infos", "skipped"),
    files=Meta(ge=0, description="Entries of `files`, unreadable ones included."),
    items=Meta(ge=0, description="Root items of all pages."),
    errors=Meta(ge=0, description="Findings of severity error."),
    warnings=Meta(ge=0, description="Findings of severity warning."),
    infos=Meta(ge=0, description="Findings of severity info."),
    skipped=Meta(ge=0, description="Files met in a folder that are not pages or could not be read."),
    without_data=Meta(ge=1, description="Pages without structured data, see absence."),
    unread=Meta(ge=1, description="Pages with structured data of which a part was not read, see unread."),
    suppressed=Meta(ge=1, description="Findings that do not count because the page or the configuration says so."),
    baselined=Meta(ge=1, description="Findings that do not count because they are in the baseline."),
    causes=Annotated[
        Any,
        Meta(
            min_length=1,
            description="How many different causes the findings have: findings of one rule that are alike "
            "except for their places, as those of a template are, have one cause. errors, "
            "warnings and infos count every place.",
            extra_json_schema={
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "errors": {"type": "integer", "minimum": 1, "description": "Causes of the errors."},
                    "warnings": {"type": "integer", "minimum": 1, "description": "Causes of the warnings."},
                    "infos": {"type": "integer", "minimum": 1, "description": "Causes of the infos."},
                },
            },
        ),
    ],
    fetches=Annotated[
        Any,
        Meta(
            min_length=1,
            description="Addresses on the web by what became of them: how many for each outcome.",
            extra_json_schema={"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
        ),
    ],
)
published(
    "report",
    also={
        "examples": [
            {
                "version": 1,
                "registry_version": "0123456789ab",
                "files": [
                    {
                        "path": "recipes/pie.html",
                        "items": [
                            {
                                "types": ["Recipe"],
                                "syntax": "json-ld",
                                "line": 4,
                                "column": 1,
                                "service_type": "RecipeSnippet",
                                "eligible": [],
                                "retired": [],
                            }
                        ],
                        "findings": [
                            {
                                "rule": "required-property-missing",
                                "severity": "error",
                                "authority": "google",
                                "profile": "google/recipe",
                                "message": "Recipe has no image",
                                "hint": "add image with an absolute URL",
                                "syntax": "json-ld",
                                "block": 0,
                                "pointer": "",
                                "property": "image",
                                "start": 73,
                                "end": 74,
                                "line": 4,
                                "column": 1,
                                "end_line": 4,
                                "end_column": 2,
                                "doc_url": "/profiles/google/recipe/",
                                "fingerprint": "2f1c6f0d9a4be013",
                            }
                        ],
                    }
                ],
                "summary": {"files": 1, "items": 1, "errors": 1, "warnings": 0, "infos": 0, "skipped": 0},
                "tool": {"name": "waypost", "version": "0.1.0"},
            }
        ]
    },
)(Report)
described(
    Report,
    "Report",
    "What one run of waypost says about one or more pages: the same from the command line and from the service.",
    always=("version",),
    version=Annotated[
        Literal[1],
        Meta(
            description="The version of this shape. Members may be added within a version; none changes its "
            "meaning or leaves."
        ),
    ],
    registry_version=Meta(
        pattern=r"^[0-9a-f]{12}$",
        description="The digest of the registry used: two reports with the same digest knew the same "
        "vocabulary and profiles.",
    ),
    files=Meta(
        description="One entry for each page, in the order in which the pages were named; the files of a "
        "folder by name."
    ),
    summary=Meta(),
    tool=Tool,
)
