"""Service behind the API and `waypost check`: world, reviews, threat lists, network and clock, built in one place.

    with open_service(data_folder()) as service:
        checked = service.check("https://shop.example/pay", "payment")

Network, store and lists are functions given to `Service`. Where a function fails, is late or returns nonsense, the
decision is a stop, or there is none: `NotReady`, which a caller treats as a stop. No URL is stored, logged or
repeated: it becomes a `Target` at once.
"""

from waypost.service.checking import AT_ONCE, LEAST_S, MOST_S, WITHIN_S, Checked, Service, clock
from waypost.service.opening import network, open_service, open_service_on

__all__ = [
    "AT_ONCE",
    "LEAST_S",
    "MOST_S",
    "WITHIN_S",
    "Checked",
    "Service",
    "clock",
    "network",
    "open_service",
    "open_service_on",
]
