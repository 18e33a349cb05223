"""decide whether an action is allowed at a destination, with evidence and unknowns

Checks the host's name, certificate, front page and registration, under one deadline; no other page of the host is
fetched. Reviews and lists of the store (--data, or --store) count too. A decision expires: check again after that.

examples:
  waypost check https://shop.example/cart --action payment
  waypost check https://shop.example/ --action login --offline --explain
  waypost check https://shop.example/pay --action payment --claimed-brand "Example Shop"
  waypost check https://shop.example/ --action payment --json --include evidence_summary,policy_version
  waypost check --batch urls.txt --action upload --json
  waypost check https://shop.example/ --action payment --record decision.json
  waypost check --replay decision.json

exit status: 0 allowed, 1 stop, 2 wrong usage, 3 no decision: treat it as a stop; 4 with --replay where the recorded
decision allowed the action, which allows nothing now
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

from waypost.cli._arguments import add_data, add_store, address
from waypost.cli._console import (
    UNREADABLE,
    Progress,
    UsageError,
    add_colour,
    check_output,
    coloured,
    is_terminal,
    print_message,
    width_of,
    write,
    write_json,
)

if TYPE_CHECKING:
    from waypost.errors import WaypostError
    from waypost.models.decision import Decision
    from waypost.models.payment import Amount, PaymentRequest
    from waypost.registry.world import World
    from waypost.safety.decision_input import DecisionInput
    from waypost.service import Checked, Service

PLACE = 60
ALLOWED, STOP, NO_DECISION, RECORDED_ALLOW = 0, 1, UNREADABLE, 4
_ON_REQUEST = ("evidence_summary", "policy_version")


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    # nargs="*", so that our own message reports a wrong number of URLs; argparse would repeat the URL.
    add("urls", nargs="*", metavar="URL", help="the destination, an absolute http or https address")
    add("--action", type=_action, metavar="ACTION",
        help="the intended action: payment, login, upload, submission, account_creation, checkout, visit and "
        "others; without it the strictest rules apply and nothing is allowed")  # fmt: skip
    add("--claimed-brand", metavar="NAME", default=None,
        help="the brand you expect: its name, slug or domain; another owner is a stop")  # fmt: skip
    add("--payee", metavar="NAME", help="the payee that you expect; compared like --claimed-brand")
    add("--payment-endpoint", metavar="URL", help="the address that takes the payment; a foreign host is a stop")
    add("--payee-id", metavar="TYPE:ID",
        help="the payee's identifier, as iban:DE89...; types are x402, ap2, ucp, iban, address, other")  # fmt: skip
    add("--signed-checkout", metavar="FILE",
        help="the checkout as the merchant signed it, a JWT, an AP2 mandate or the JSON of a UCP checkout; it is "
        "verified with the keys that the host publishes")  # fmt: skip
    add("--amount", type=_amount, metavar="EUR:1999",
        help="the amount of the payment in the currency's minor unit, with the most that you may pay after a second "
        "colon: EUR:1999:5000")  # fmt: skip
    add("--policy", type=_word, metavar="NAME", help="the policy to apply (baseline); `waypost policy list` names them")
    add("--offline", action="store_true", help="no network checks; their evidence becomes unknown")
    add("--within", type=_seconds, metavar="SECONDS", help="timeout of the network checks in seconds, 0.05 to 5 (1.5)")
    add("--json", action="store_true", help="print the decision as JSON, as the API returns it")
    add("--include", type=_members, action="extend", default=[], metavar="LIST",
        help="with --json, further members: evidence_summary, policy_version; without --action both are "
        "included")  # fmt: skip
    add("--explain", action="store_true", help="show which row of the policy decided, and why each signal fired")
    add("--batch", metavar="FILE", help="one URL a line, - for standard input; with --json one decision a line")
    add("--record", metavar="FILE", help="save the input of the decision to a file")
    add(
        "--replay",
        metavar="FILE",
        help="decide again from a file of --record; the answer is drawn as recorded, with its date",
    )
    add("--fixtures", action="store_true", help="fixed answers for allow.test, stop.test and other test hosts")
    add("--no-shipped-reviews", action="store_true", help="let only your own reviews verify a destination")
    add("--service", type=address, default=None, metavar="URL",
        help="the address of a waypost service, for the link to dispute (WAYPOST_SERVICE)")  # fmt: skip
    add_data(parser)
    add_store(parser)
    add_colour(parser)


def _action(text: str) -> str:
    """Action of --action. The message repeats no unknown text, which may be a URL with a secret."""
    from waypost.errors import UnknownAction
    from waypost.formats.text import near
    from waypost.models.decision import ACTIONS

    if text not in ACTIONS:
        raise ArgumentTypeError(str(UnknownAction(ACTIONS, near(text, ACTIONS))))
    return text


def _amount(text: str) -> Amount:
    from waypost.models.payment import Amount

    currency, *numbers = text.split(":")
    is_valid = len(currency) == 3 and currency.isascii() and currency.isalpha() and len(numbers) in {1, 2}
    if not is_valid or not all(number.isascii() and number.isdigit() and len(number) <= 15 for number in numbers):
        raise ArgumentTypeError("give a currency and its minor units, as EUR:1999, or with a cap EUR:1999:5000")
    return Amount(currency=currency, value=int(numbers[0]), cap=int(numbers[1]) if numbers[1:] else None)


def _word(text: str) -> str:
    if not text.replace("-", "").isalnum() or len(text) > 80:
        raise ArgumentTypeError("this is not a name of a policy; `waypost policy list` shows the names")
    return text


def _seconds(text: str) -> float:
    from waypost.service import LEAST_S, MOST_S

    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not LEAST_S <= seconds <= MOST_S:
        raise ArgumentTypeError(f"give {LEAST_S:g} to {MOST_S:g} seconds")
    return seconds


def _members(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not set(names) <= set(_ON_REQUEST):
        raise ArgumentTypeError(f"a decision may include {' and '.join(_ON_REQUEST)}")
    return names


def run(args: Namespace) -> int:
    from waypost.errors import InvalidUrl, RecordError, RegistryError, UnknownPolicy, Unreadable

    _check_arguments(args)
    try:
        if args.replay:
            return _replay(args)
        with _service(args) as service:
            return _batch(args, service) if args.batch else _single(args, service)
    except UnknownPolicy as error:
        raise UsageError(
            str(error)
            if error.near
            else f"{error}; there are baseline and strict, and what `waypost policy list` shows as accepted"
        ) from None
    except (InvalidUrl, RecordError, RegistryError, Unreadable) as error:
        return _without_decision(error)


def _without_decision(error: WaypostError) -> int:
    print_message(str(error))
    print_message("no decision: treat it as a stop")
    return NO_DECISION


def _check_arguments(args: Namespace) -> None:
    """Raise UsageError for arguments that exclude each other. No message repeats a URL: a URL may hold a secret."""
    if args.replay:
        others = (args.urls, args.batch, args.record, args.action, args.policy, args.fixtures)
        if any(
            (
                *others,
                args.claimed_brand,
                args.payee,
                args.payment_endpoint,
                args.payee_id,
                args.signed_checkout,
                args.amount,
            )
        ):
            raise UsageError("--replay decides from its file alone; give it no URL, action, policy, name or other mode")
        return
    if args.batch:
        if args.urls or args.record:
            raise UsageError("--batch takes its URLs from the file, and records none; name no URL and no --record")
        if "://" in args.batch:
            raise UsageError("--batch: name a file of URLs, not a URL")
    elif len(args.urls) != 1:
        raise UsageError(
            "name one URL, or many with --batch FILE"
            if args.urls
            else "name a URL, for example: waypost check https://shop.example/ --action payment"
        )
    if args.record:
        _check_record(args)


def _check_record(args: Namespace) -> None:
    if args.fixtures:
        raise UsageError("--record: a fixture has no evidence to record; name a URL")
    if "://" in args.record:
        raise UsageError("--record: name a file, not a URL")
    check_output(args.record)


def _service(args: Namespace) -> Service:
    if args.fixtures:
        from waypost.service.fixtures import open_fixtures

        return open_fixtures(**({"policy": args.policy} if args.policy else {}))
    from waypost.cli._subcommands import service_of

    return service_of(args, trust_shipped_reviews=not args.no_shipped_reviews)


def _check_options(args: Namespace) -> dict[str, Any]:
    """Keyword arguments for every check of the run."""
    names = tuple(name for name in (args.claimed_brand, args.payee) if name)
    options = {
        "action": args.action,
        "within_s": args.within,
        "counterparties": names or None,
        "payment": _payment(args),
    }
    return {name: value for name, value in options.items() if value is not None}


def _payment(args: Namespace) -> PaymentRequest | None:
    if not (args.payment_endpoint or args.payee_id or args.signed_checkout or args.amount):
        return None
    from typing import cast, get_args

    from waypost.models.decision import SensitiveUrl
    from waypost.models.payment import PayeeType, PaymentRequest

    kind, _, identifier = (args.payee_id or "").partition(":")
    if args.payee_id and (kind not in get_args(PayeeType) or not identifier):
        raise UsageError(f"--payee-id is TYPE:ID, with one of the types {', '.join(get_args(PayeeType))}")
    return PaymentRequest(
        endpoint=SensitiveUrl(args.payment_endpoint) if args.payment_endpoint else None,
        payee_type=cast("PayeeType", kind) if kind else None,
        payee_id=SensitiveUrl(identifier) if identifier else None,
        checkout=SensitiveUrl(_file(args.signed_checkout, 65537).decode("utf-8", "replace"))
        if args.signed_checkout
        else None,
        amount=args.amount,
    )


def _single(args: Namespace, service: Service) -> int:
    from waypost.errors import WaypostError

    try:
        decision, case = service.check(args.urls[0], **_check_options(args))
    except WaypostError as error:
        if args.json:
            write_json({"error": problem(error)})
        return _without_decision(error)
    if args.record:
        from waypost.safety.decision_record import to_record

        write([to_record(case, decision, service.world).decode()], args.record)
    _show(args, decision, service.world, case, offline=args.offline)
    return _status(decision)


def _replay(args: Namespace) -> int:
    from waypost.cli._subcommands import world_of
    from waypost.safety.decision_record import LARGEST, replay

    world = world_of(args)
    case, decision = replay(_file(args.replay, LARGEST + 1), args.replay, world)
    _show(args, decision, world, case, offline=False, recorded=True)
    print_message(f"decided again from {args.replay} alone: the same decision, to the letter")
    # An allow of the past must not start anything today.
    return RECORDED_ALLOW if _status(decision) == ALLOWED else STOP


def _file(path: str, most: int) -> bytes:
    from pathlib import Path

    from waypost.errors import Unreadable

    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise Unreadable(path, (error.strerror or str(error)).lower()) from None


def _batch(args: Namespace, service: Service) -> int:
    """Print a line per URL, in order; the status of the worst outcome: no decision, then stop, then allow."""
    from waypost.errors import WaypostError
    from waypost.lint.inputs import Input, read

    name = args.batch
    data = read(Input(name, name, "stdin" if name == "-" else "file"))
    lines = data.decode("utf-8-sig", "replace").split("\n")
    urls = {number: url for number, line in enumerate(lines, 1) if (url := line.strip())}
    if not urls:
        print_message(f"{name}: nothing to check")
        return NO_DECISION
    stops, worst = 0, ALLOWED
    progress = Progress(len(urls), is_terminal(sys.stdout), ("URLs", "stopped"))
    try:
        results = service.checks(urls.values(), **_check_options(args))
        for done, (number, result) in enumerate(zip(urls, results, strict=True), 1):
            outcome = NO_DECISION if isinstance(result, WaypostError) else _status(result.decision)
            worst = max(worst, outcome)
            stops += outcome != ALLOWED
            sys.stdout.write(f"{_line(args, number, result, service.world)}\n")
            sys.stdout.flush()
            progress(done, stops)
    finally:
        progress.close()
    return worst


def _line(args: Namespace, number: int, result: Checked | WaypostError, world: World) -> str:
    from waypost.errors import WaypostError

    if isinstance(result, WaypostError):
        return _encoded({"error": problem(result)}) if args.json else f"none   line {number}: {result}"
    if args.json:
        return _encoded(_to_dict(args, result.decision, world, result.case))
    decision = result.decision
    verdict = "allow" if decision.action_allowed else "stop "
    return f"{verdict}  {decision.normalized_domain}  {decision.relationship_status}  {' '.join(decision.reason_codes)}"


def _show(
    args: Namespace, decision: Decision, world: World, case: DecisionInput, *, offline: bool, recorded: bool = False
) -> None:
    now = case.now
    if args.json:
        members = _to_dict(args, decision, world, case)
        if recorded:
            from waypost.formats.text import timestamp

            members = {"recorded": {"decided_at": timestamp(now), "file": args.replay}, **members}
        write_json(members)
        return
    from waypost.report.decision import View, draw
    from waypost.safety.explain import explain

    view = View(
        sentences=world.document("codes.json"),
        width=width_of(sys.stdout) or 100,
        colour=coloured(args.colour, sys.stdout),
        why=args.explain,
        dispute_path=_dispute_path(args, decision) or "",
        offline=offline,
        recorded_at=now if recorded else None,
    )
    write([draw(decision, explain(decision, world, now, case.policy_file), view)])


def _to_dict(args: Namespace, decision: Decision, world: World, case: DecisionInput) -> dict[str, Any]:
    """Decision with the members of the API's response; --explain adds the member `explanation`."""
    from waypost.models.decision import UNSPECIFIED
    from waypost.safety.serialize import decision_to_dict

    # Without an action the decision is that of /v1/check-url, members included.
    include = _ON_REQUEST if decision.action == UNSPECIFIED else args.include
    members = decision_to_dict(decision, include, _dispute_path(args, decision))
    if args.explain:
        from waypost.safety import explain

        members["explanation"] = explain.explanation_to_dict(
            explain.explain(decision, world, case.now, case.policy_file)
        )
    return members


def _dispute_path(args: Namespace, decision: Decision) -> str | None:
    """URL for a dispute of the decision; None where no service's address is known."""
    service = args.service or os.environ.get("WAYPOST_SERVICE")
    return f"{service.rstrip('/')}/v1/decisions/{decision.decision_id}/disputes" if service else None


def _status(decision: Decision) -> int:
    return ALLOWED if decision.action_allowed else STOP


_TITLES = {
    "InvalidUrl": "A text is not an absolute http or https URL",
    "UnsupportedScheme": "The URL is of a kind that no check knows",
    "UnknownPolicy": "No policy goes by this name",
    "UnknownAction": "No action goes by this name",
    "NotReady": "No decision can be made now",
    "RegistryError": "A file of the registry cannot be used; names the file and the place in it",
    "PolicyError": "A policy file would let a sensitive action through on too little, or is not what it says",
    "RecordError": "A record of a decision cannot be decided again; the text says why",
    "MissingExtra": "Something was requested that needs an optional dependency",
    "Unreadable": "An input that was named could not be read",
    "StoreError": "The store cannot be opened, or could not write",
    "StoreTooNew": "The store was written by a later waypost, which may keep in it what this one would lose",
    "ClockBehind": "The clock shows a time long before what is written already: nothing that ends by the clock could "
    "be trusted",
}
"""Class of an error -> `title` of its problem. Part of the output, unlike the docstring of the class."""


def problem(error: WaypostError) -> dict[str, Any]:
    """Error as problem details (RFC 9457)."""
    return {
        "type": f"/problems/{error.code}",
        "title": _TITLES.get(type(error).__name__, "No decision can be made"),
        "status": error.status,
        "code": error.code,
        "detail": str(error),
    }


def _encoded(members: Any) -> str:
    import msgspec

    return msgspec.json.encode(members).decode()
