"""Rate limits: how many requests the holder of a key, or an address without a key, may send.

Windows slide: in no period of a policy's length do more requests than the quota get through. (A generic cell rate
algorithm that accepts a whole quota at once lets nearly two quotas through in the first window.) A policy with a daily
quota also counts by the day, UTC. Refused requests are not counted. The policies are in `service/limit_policies.py`.

verdict.py  verdicts about a request, with their headers
window.py   counts of a process, in memory
shared.py   counts that the processes of a service share through the store
"""

from waypost.api.limits.shared import SLACK, Limits
from waypost.api.limits.verdict import Allowed, LimitExceeded
from waypost.service.limit_policies import (
    DAY_S,
    MOST_QUOTA,
    POLICIES,
    LimitError,
    Policy,
    Standing,
    checked_quotas,
    with_quotas,
)

__all__ = [
    "DAY_S",
    "MOST_QUOTA",
    "POLICIES",
    "SLACK",
    "Allowed",
    "LimitError",
    "LimitExceeded",
    "Limits",
    "Policy",
    "Standing",
    "checked_quotas",
    "with_quotas",
]
