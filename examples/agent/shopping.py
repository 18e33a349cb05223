"""An agent that buys the cheapest kettle, with the guard and without it, in two made-up shops on this machine.

    python examples/agent/shopping.py [--without-guard]

One of the shops poses as the other and is cheaper. The names of both are made up and lead to loopback; the decisions
about them are real, made here without a service (`waypost check --fixtures` knows the same hosts).

Exit status: 0 bought at the shop itself, 1 bought at the look-alike.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from waypost.guard import Guard, LocalClient, Stopped
from waypost.service.fixtures import open_fixtures

OFFERS = {"https://impersonation.test/kettle?pay=now": 19.00, "https://allow.test/kettle": 49.00}
"""What a search for a kettle finds: the cheapest stands first, as the agent likes it."""
Pay = Callable[[str, float], str]


class Shop(BaseHTTPRequestHandler):
    """Takes every payment. `till` has the host of each."""

    till: list[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.till.append(self.headers["Host"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"thank you")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def shops() -> Iterator[tuple[int, list[str]]]:
    """Port of a server that is both shops, and its till."""
    Shop.till = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port, Shop.till
    finally:
        server.shutdown()
        server.server_close()


def tool(port: int) -> Pay:
    """The agent's tool. A real one would open the address; this one opens the made-up shop of that name."""

    def pay(checkout: str, amount: float) -> str:
        """Pay an amount at a checkout."""
        line = HTTPConnection("127.0.0.1", port, timeout=5)
        line.request("POST", "/pay", f"{amount:.2f}", {"Host": urlsplit(checkout).hostname or ""})
        text = line.getresponse().read().decode()
        line.close()
        return text

    return pay


def buy(pay: Pay) -> None:
    """What the agent does: the cheapest offer first, and after a stop the next."""
    for checkout, price in sorted(OFFERS.items(), key=lambda offer: offer[1]):
        host = urlsplit(checkout).hostname
        try:
            print(f"{host}, {price:.2f}: {pay(checkout, price)}")
        except Stopped as stop:
            reasons = ", ".join(stop.reasons)
            other = stop.decision.official_alternative if stop.decision else None
            print(f"{host}, {price:.2f}: stopped, {reasons}; the official site is {other}")
            continue
        return


def main(arguments: list[str]) -> int:
    with shops() as (port, till), open_fixtures() as service:
        pay = tool(port)
        if "--without-guard" not in arguments:
            pay = Guard(LocalClient(service))("payment", url="checkout")(pay)
        buy(pay)
        print(f"paid at {', '.join(till)}")
        return int(till != ["allow.test"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
