"""Guessing tokens is slowed: who was wrong too often is not listened to for a while."""

import ipaddress
from collections import OrderedDict, deque
from datetime import datetime, timedelta

from reactor.ports import Clock
from reactor.refusal import Refused

MOST = 10  # wrong tokens
WINDOW = timedelta(minutes=5)
_REMEMBERED = 10_000  # addresses; who was wrong longest ago is forgotten first


class Attempts:
    """Wrong tokens of late, by the address that they came from."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[datetime]] = OrderedDict()

    def check(self, address: str) -> None:
        """Raise `Refused` (429) where that address has been wrong too often: no token helps."""
        if len(self._recent(_name(address))) >= MOST:
            minutes = WINDOW // timedelta(minutes=1)
            raise Refused(
                429,
                "attempts",
                "too many wrong tokens have come from this address",
                where="header Authorization, or the login page",
                fix=f"wait {minutes} minutes, then use the right one",
            )

    def was_wrong(self, address: str) -> None:
        """One more."""
        name = _name(address)
        recent = self._recent(name)
        recent.append(self._clock.now())
        self._wrong[name] = recent
        self._wrong.move_to_end(name)
        while len(self._wrong) > _REMEMBERED:
            self._wrong.popitem(last=False)

    def _recent(self, name: str) -> deque[datetime]:
        """Those within the window."""
        recent, since = self._wrong.get(name, deque()), self._clock.now() - WINDOW
        while recent and recent[0] <= since:
            recent.popleft()
        if not recent:
            self._wrong.pop(name, None)
        return recent


def _name(address: str) -> str:
    """Whoever has one address of IPv6 has all of its /64."""
    try:
        told = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(told, ipaddress.IPv4Address):
        return str(told)
    if told.ipv4_mapped:
        return str(told.ipv4_mapped)
    return str(ipaddress.ip_network((told, 64), strict=False))
