"""Exceptions shared by several packages.

An error in a page is a `Finding` and a denied action is a `Decision`: both are ordinary results.
Exceptions are for inputs, files and networks without a result.
"""

from __future__ import annotations

from collections.abc import Sequence


class WaypostError(Exception):
    """Base of the exceptions of waypost.

    `code` is a stable slug, `status` the HTTP status of the service's answer. The message says what is
    wrong, with the value, then what to do.
    """

    code = "error"
    status = 500


def _did_you_mean(near: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(near)}?" if near else ""


class UnknownType(WaypostError):
    """Unknown name of a schema. `near`: similar names."""

    code, status = "unknown_type", 404

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"there is no schema named {name!r}{_did_you_mean(near)}")
        self.name, self.near = name, tuple(near)


class UnknownRule(WaypostError):
    """Unknown name of a rule or profile. `near`: similar names."""

    code, status = "unknown_rule", 404

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"there is no rule or profile named {name!r}{_did_you_mean(near)}")
        self.name, self.near = name, tuple(near)


class RegistryError(WaypostError):
    """Unusable file of the registry. The message names the file and the position in the file."""

    code = "registry_fault"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")


class Unreadable(WaypostError):
    """Unreadable input. `what` names the input."""

    code, status = "unreadable", 422

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what}: {reason}")
        self.what, self.reason = what, reason


class NothingToShow(WaypostError):
    """Page without an item for a card. The message says why."""

    code, status = "nothing_to_show", 422


class FetchDenied(WaypostError):
    """Fetch denied by a rule of waypost's own, such as a private address. The message says why and what to do.

    The message contains the host at most, never a path, a query or credentials; `reason` is a word for programs.
    """

    code, status = "fetch_refused", 422

    def __init__(self, text: str, reason: str = "refused") -> None:
        super().__init__(text)
        self.reason = reason


class FetchFailed(WaypostError):
    """Failed fetch. The message contains the host at most; `reason` is a word for programs."""

    code, status = "fetch_failed", 502

    def __init__(self, text: str, reason: str = "failed") -> None:
        super().__init__(text)
        self.reason = reason


class InvalidUrl(WaypostError):
    """Text that is not an absolute http or https URL. The message leaves the text out: a secret may stand there."""

    code, status = "invalid-url", 422

    def __init__(self, reason: str) -> None:
        super().__init__(f"the URL cannot be checked: {reason}")


class UnsupportedScheme(InvalidUrl):
    """URL with a scheme other than http and https."""

    code = "unsupported-scheme"


class UnknownPolicy(WaypostError):
    """Unknown name of a policy. `near`: similar names."""

    code, status = "unknown-policy", 404

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"there is no policy named {name!r}{_did_you_mean(near)}")
        self.name, self.near = name, tuple(near)


class UnknownAction(WaypostError):
    """Unknown action. The message leaves the text out: a URL may stand in the wrong place."""

    code, status = "unknown-action", 422

    def __init__(self, known: Sequence[str], near: Sequence[str] = ()) -> None:
        suggestion = _did_you_mean(near) or f"; there are {', '.join(known)}"
        super().__init__(f"there is no such action{suggestion}")
        self.near = tuple(near)


class NotReady(WaypostError):
    """Decision impossible at the moment. Callers fail closed: the action is not allowed."""

    code, status = "not-ready", 503


class RecordError(WaypostError):
    """Record of a decision that cannot be replayed. The message says why."""

    code, status = "record-refused", 422

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")


class PolicyError(RegistryError):
    """Policy file that allows a sensitive action on too little evidence, or with a wrong version or date."""

    code = "policy-refused"


def install_command(*extras: str) -> str:
    """`pip install` command that adds extras to this installation, from the place that it was installed from.

    A name alone would be looked up on an index, where another package may have it. pip records the place of any other
    installation (direct_url.json of PyPA's "Recording the Direct URL Origin").
    """
    import json
    import shlex
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    names = f"[{','.join(extras)}]"
    try:
        recorded = distribution("waypost").read_text("direct_url.json")
        origin = json.loads(recorded) if recorded else {}
    except (PackageNotFoundError, ValueError):
        return f"pip install '.{names}' in a clone of waypost"
    url = origin.get("url", "")
    parts = urlsplit(url)
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        target = f"waypost{names} @ {vcs['vcs']}+{url}@{vcs.get('requested_revision') or vcs['commit_id']}"
    elif parts.scheme == "file":
        target = url2pathname(parts.path) + names
    else:
        target = f"waypost{names}" + (f" @ {url}" if url else "")
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"pip install {editable}{shlex.quote(target)}"


class MissingExtra(WaypostError):
    """Missing optional dependency. The message has the `pip install` command."""

    code = "missing_extra"

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{package} is needed {purpose}: {install_command(extra)}")
        self.package, self.extra = package, extra
