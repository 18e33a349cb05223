"""Share of made imitations that are found, by the way in which they imitate, so that no way can rot unseen.

    python benchmarks/name_classes.py [--brands N] [--seed N] [--show CLASS]

Nineteen ways of imitation, one host each for N reviewed brands drawn by the seed from all countries of the registry.
The hosts are made in memory, under reserved endings where the way allows, and none is opened or written. `found` is
`suspected_impersonation`, `named` the right brand. These hosts are easier than real ones: read the differences
between two versions, not the level. A resemblance alone (`another ending`) accuses nobody, and is listed to show that.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

from waypost.registry.world import Brand, load
from waypost.safety.brand_index import brand_index_of
from waypost.safety.catalogue import signals_taking
from waypost.safety.host_reading import HostReading
from waypost.safety.relationship import imitation
from waypost.safety.target import of_host

DIGITS = str.maketrans("oile", "0113")
CYRILLIC = str.maketrans("aeopcyx", "аеорсух")
ACTIONS = ("login", "secure", "verify", "account", "refund", "support", "update")
ABROAD = ("giris", "anmeldung", "connexion", "oplata", "pagamento", "inloggen", "przesylka", "masuk")
HOSTS = ("pages.dev", "netlify.app", "weebly.com", "web.app", "vercel.app")
Way = Callable[[str, random.Random], str]


def swapped(name: str, at: int) -> str:
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def inside(name: str, rng: random.Random) -> int:
    return rng.randrange(1, max(2, len(name) - 2))


def doubled(name: str, rng: random.Random) -> str:
    at = inside(name, rng)
    return name[:at] + name[at] + name[at:]


def dropped(name: str, rng: random.Random) -> str:
    at = inside(name, rng)
    return name[:at] + name[at + 1 :]


def replaced(name: str, rng: random.Random) -> str:
    at = inside(name, rng)
    return name[:at] + rng.choice("bdfgkpqvwz".replace(name[at], "")) + name[at + 1 :]


def idna(label: str) -> str:
    return label.encode("idna").decode() if not label.isascii() else label


WAYS: dict[str, Way] = {
    "digits for letters": lambda n, _: f"{n.translate(DIGITS)}.com",
    "rn for m, vv for w": lambda n, _: f"{n.replace('m', 'rn').replace('w', 'vv')}.com",
    "letters of another script": lambda n, _: f"{idna(n.translate(CYRILLIC))}.com",
    "action word, hyphen": lambda n, r: f"{n}-{r.choice(ACTIONS)}.test",
    "action word, glued": lambda n, r: f"{n}{r.choice(ACTIONS)}.test",
    "action word before": lambda n, r: f"{r.choice(ACTIONS)}-{n}.test",
    "action word, another language": lambda n, r: f"{n}-{r.choice(ABROAD)}.test",
    "action word and digits": lambda n, r: f"{n}-{r.choice(ACTIONS)}{r.randrange(10, 99)}.test",
    "doubled letter, action word": lambda n, r: f"{doubled(n, r)}-{r.choice(ACTIONS)}.test",
    "dropped letter, action word": lambda n, r: f"{dropped(n, r)}-{r.choice(ACTIONS)}.test",
    "changed places, action word": lambda n, r: f"{swapped(n, inside(n, r))}-{r.choice(ACTIONS)}.test",
    "another letter, action word": lambda n, r: f"{replaced(n, r)}-{r.choice(ACTIONS)}.test",
    "own domain embedded": lambda n, r: f"{n}.com.session-{r.randrange(1000)}.test",
    "own domain embedded, hyphens": lambda n, r: f"{n}-com-{r.choice(ACTIONS)}.test",
    "below another domain": lambda n, r: f"{n}.{r.choice(ACTIONS)}-{r.randrange(1000)}.test",
    "tenant by the name": lambda n, r: f"{n}-{r.randrange(100)}.{r.choice(HOSTS)}",
    "tenant with an action word": lambda n, r: f"{r.choice(ACTIONS)}-{n}.{r.choice(HOSTS)}",
    "split by a hyphen, action word": lambda n, r: f"{n[:3]}-{n[3:]}-{r.choice(ACTIONS)}.test",
    "another ending": lambda n, _: f"{n}.test",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brands", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", choices=WAYS, help="print the hosts of one way that are not found")
    options = parser.parse_args()
    world = load()
    index = brand_index_of(world)
    rng = random.Random(options.seed)
    pool = [brand for brand in world.brands.values() if brand.official_domains and token(brand)]
    brands = rng.sample(pool, min(options.brands, len(pool)))
    print(f"{len(brands)} of {len(pool)} reviewed brands with a token, seed {options.seed} ({Path(__file__).name})")
    began, tried = time.perf_counter(), 0
    for name, way in WAYS.items():
        hosts = [(brand, way(token(brand), rng)) for brand in brands]
        # A way that leaves a name as it is (no `m` in it, no letter with a digit for it) imitates nothing.
        hosts = [(brand, host) for brand, host in hosts if name == "another ending" or host != f"{token(brand)}.com"]
        seen = []
        for brand, host in hosts:
            reading = HostReading(of_host(host), index)
            evidence = [piece for signal in signals_taking("reading") for piece in signal.observe(reading)]
            seen.append((brand, host, imitation(evidence, world)))
        tried += len(seen)
        found = [row for row in seen if row[2]]
        right = sum(brand.owner == imitated.owner for brand, _, imitated in found if imitated)
        print(f"  {name:<32} found {len(found):>4} of {len(seen):>4} ({len(found) / len(seen):6.1%}), named {right:>4}")
        if options.show == name:
            print(*(f"    {host}" for _, host, imitated in seen if not imitated), sep="\n")
    print(f"{(time.perf_counter() - began) / tried * 1e6:.0f} us a host")


def token(brand: Brand) -> str:
    """Word of a brand that has three letters or more, its strong one where there is one."""
    return next(
        (text for text in (*brand.tokens, *brand.short_or_common_tokens) if len(text) > 3 and "-" not in text), ""
    )


if __name__ == "__main__":
    main()
