"""Whose is what stays on this machine of a connection: a service's and a user's. Knows no file."""

from __future__ import annotations

import msgspec


class ProfileKey(msgspec.Struct, frozen=True):
    """A service by its address, or by a name of its own where the address is another one at each start.

    ``user`` is empty where it is another one at each start too.
    """

    service: str
    user: str = ""

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.user}@{self.service}"
