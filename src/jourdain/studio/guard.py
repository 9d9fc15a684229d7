"""Who may talk to the studio: whoever knows the token, from the page we served, under a name that is ours.

The token stands in the path, so that every address of the page has it. A page of somebody else cannot read it, and is
refused by its Origin; a name that somebody else has pointed at this machine is refused by its Host.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Checks of one server."""

    def __init__(self, token: str, host: str) -> None:
        self.token, self.host = token, host

    def refusal(self, token: str, host: str, origin: str | None, socket: bool) -> str:
        """Why a request is refused; empty if it is not. A socket has an Origin; other requests may be without."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "wrong token"
        if not self._is_ours(host):
            return "foreign host"
        if origin is None:
            return "no origin" if socket else ""
        return "" if origin.lower() == f"http://{host.lower()}" else "foreign origin"

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in LOOPBACK or name == self.host.lower():
            return True
        if is_loopback(self.host):
            return False
        try:  # of a machine that is open to others: a number cannot be pointed here by somebody else's name server
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class Rate:
    """A bucket that messages empty and time fills."""

    def __init__(self, a_second: float, most: float) -> None:
        self._a_second, self._most = a_second, most
        self._left, self._last = most, time.monotonic()

    def take(self) -> bool:
        """Whether one more may come."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._last) * self._a_second)
        self._last = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
