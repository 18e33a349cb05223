"""Body and answer of the validation of a page or of JSON-LD."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.wire.common import Closed, WebAddress, exactly_one, like, published


@published("validate-request", also=exactly_one("data", "html"))
class ValidateRequest(Closed, frozen=True, kw_only=True):
    """What to check, and how."""

    data: Annotated[
        Any | None,
        Meta(
            description="JSON-LD, at most 1 MiB. Places in the report count in the bytes of this member as sent.",
            extra_json_schema={"type": ["object", "array"], "items": {}},
        ),
    ] = None
    html: (
        Annotated[str, Meta(max_length=2097152, description="A page, at most 2 MiB. Places count in its UTF-8 bytes.")]
        | None
    ) = None
    type: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=80,
                pattern=r"^[A-Za-z0-9]+$",
                description="A schema.org type whose rich results are checked in full.",
            ),
        ]
        | None
    ) = None
    syntax: Annotated[
        Literal["auto", "json-ld", "microdata", "rdfa"] | None, Meta(description="Only what is written in one syntax.")
    ] = None
    profile: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=80,
                pattern=r"^[a-z0-9/-]+$",
                description="A profile to check in full, such as google/recipe.",
            ),
        ]
        | None
    ) = None
    base_url: (
        Annotated[
            WebAddress,
            Meta(
                min_length=1,
                max_length=2048,
                description="The page's address: relative links resolve against it. It is not fetched.",
            ),
        ]
        | None
    ) = None
    also: (
        Annotated[
            tuple[Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9]+$")], ...],
            Meta(
                max_length=100,
                description="Names of types and properties to accept, without a prefix: newer than the release of "
                "schema.org, or your own; as `[vocabulary] also` of a configuration.",
            ),
        ]
        | None
    ) = None
    template: Annotated[
        bool | None,
        Meta(
            description="`html` is a template: nothing is reported about what its engine computes. In a finished page, "
            "a rest of a template is an error."
        ),
    ] = None


@published("validate-answer")
class ValidateAnswer(Closed, frozen=True, kw_only=True):
    """The report of `waypost validate --format json` with one entry in `files`, whose path is `request`."""

    valid: Annotated[bool, Meta(description="No finding has the severity error.")]
    truncated: Annotated[bool | None, Meta(description="There were more findings than a report holds.")] = None
    version: Annotated[Any, like("report", "version")]
    registry_version: Annotated[Any, like("report", "registry_version")]
    files: Annotated[Any, like("report", "files")]
    summary: Annotated[Any, like("report", "summary")]
    tool: Annotated[Any, like("report", "tool")]
