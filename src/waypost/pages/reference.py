"""Pages of the API: every operation from the published description, every problem, the limits."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.contract.problems import Problem, problems
from waypost.pages.draft import Draft, Group, Source

_TOP = (("API", "api/"),)


def needed() -> list[str]:
    """The addresses that must be there and be reached."""
    return [f"problems/{code}/" for code in problems()]


def side(source: Source) -> tuple[Group, ...]:  # noqa: ARG001 - sections are made alike
    """The side navigation of the section."""
    return (
        Group(
            "API",
            (
                ("Overview", "api/", ""),
                ("Problems", "problems/", str(len(problems()))),
                ("Versioning", "versioning/", ""),
            ),
        ),
    )


def drafts(source: Source) -> Iterator[Draft]:  # noqa: ARG001 - sections are made alike
    """Every page of the section."""
    listed = list(problems().values())
    yield Draft(
        "api/",
        "api.html",
        "API",
        "One process answers /v1 and this site: decisions, lookups, validation, snippets.",
        values={"problems": listed},
        kind="Index",
    )
    yield Draft(
        "problems/",
        "problems.html",
        "Problems",
        "Every problem that the API answers with, what it means and what to do.",
        _TOP,
        {"problems": listed},
        kind="Index",
        words="errors rfc 9457 status",
    )
    for problem in listed:
        yield _problem(problem, listed)


def _problem(problem: Problem, listed: list[Problem]) -> Draft:
    return Draft(
        f"problems/{problem.code}/",
        "problem.html",
        problem.code,
        problem.title,
        (*_TOP, ("Problems", "problems/")),
        {
            "problem": problem,
            "near": [each for each in listed if each.status == problem.status and each is not problem],
        },
        kind="Problem",
        words=f"{problem.status} {problem.code.replace('-', ' ')}",
    )
