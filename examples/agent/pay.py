"""An agent that pays, and asks first.

    export WAYPOST_SERVICE=http://127.0.0.1:8000 WAYPOST_API_KEY=wp_test_...
    python examples/agent/pay.py https://allow.test/cart 12.50

It pays only while the service says, about this payment at this host, that it may. Everything else is a stop: no, no
answer in time, an answer that cannot be read, a value that it does not know, a decision whose time is over.

Exit status: 0 paid, 1 stopped.
"""

import argparse
import sys

from waypost.client import Client, ClientError, Decision, Stopped


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Pay at a URL, if that may go ahead.")
    parser.add_argument("url")
    parser.add_argument("amount")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS")
    args = parser.parse_args(argv)
    try:
        with Client(timeout_s=args.timeout) as waypost:
            decision = waypost.require(args.url, "payment")
            amount = prepare(args.amount)
            # What took time in between may have outlived the decision: it counts at the moment of paying.
            if not decision.allows("payment"):
                print("stopped: the decision is over; ask again", file=sys.stderr)
                return 1
            pay(args.url, amount, decision)
    except Stopped as stop:
        print(f"stopped: {stop}", file=sys.stderr)
        for name in ("reasons", "unknowns", "confidence_class", "dispute_path"):
            print(f"  {name}: {getattr(stop, name)}", file=sys.stderr)
        return 1
    except (ClientError, ValueError) as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 1
    return 0


def prepare(amount: str) -> int:
    """The amount in cents."""
    whole, _, part = amount.partition(".")
    if not (whole.isdigit() and len(part) <= 2 and (part.isdigit() or not part)):
        raise ValueError("write the amount as 12.50")
    return int(whole) * 100 + int(part.ljust(2, "0"))


def pay(url: str, cents: int, decision: Decision) -> None:
    """Here a real agent would pay. This one says so; the URL may hold a secret, so only its host is shown."""
    del url
    print(f"paid {cents / 100:.2f} at {decision.normalized_domain} (decision {decision.decision_id})")


if __name__ == "__main__":
    sys.exit(main())
