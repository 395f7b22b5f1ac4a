"""The check of the Host header on a loopback address, against DNS rebinding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address

from server_stub.foundation.errors import ApiError

HOST_NAME = re.compile(r"\[[0-9A-Fa-f:.]+\]|[^\[\]:/@\s]+", re.ASCII)
# A name or an address, an IPv6 address in brackets, then perhaps a port.
_HOST = re.compile(rf"(?P<name>{HOST_NAME.pattern})(:\d*)?", re.ASCII)
_SHOWN = 100


class HostNames:
    """The names under which a server on a loopback address may be called.

    A web page may have its own name lead to this machine (DNS rebinding): the browser then takes what the
    server answers for the page's own. But the request names the host, so that it can be refused.
    """

    def __init__(self, allowed: Sequence[str] = ()) -> None:
        self._allowed = frozenset(_normal(name) for name in allowed)

    def refusal(self, named: Sequence[str], version: str) -> ApiError | None:
        """The error where a request of this version of HTTP, with these `Host` headers, is for another name.

        A request without `Host` is taken where HTTP allows that, in version 1.0: no browser sends such a one.
        """
        if not named and version == "1.0":
            return None
        if len(named) != 1:
            return ApiError("generic", "A request names exactly one Host.")
        if self._is_allowed(named[0]):
            return None
        return ApiError(
            "generic",
            f"This server is not called {named[0][:_SHOWN]!r}: it listens on this machine only. "
            "Start it with --allow-host NAME to let it be called by another name.",
        )

    def _is_allowed(self, named: str) -> bool:
        found = _HOST.fullmatch(named)
        if found is None:
            return False
        name = _normal(found["name"])
        return name in self._allowed or name.endswith(".localhost") or is_loopback(name.strip("[]"))


def _normal(name: str) -> str:
    return name.lower().removesuffix(".")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host; a name other than localhost may lead anywhere."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
