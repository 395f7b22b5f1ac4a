"""The key under which data of a connection is stored on this computer."""

from __future__ import annotations

import msgspec


class ProfileKey(msgspec.Struct, frozen=True):
    """A service and a user.

    ``service`` is its address, or a fixed name if the address changes with each start; ``user`` is empty if
    the login does.
    """

    service: str
    user: str = ""

    @property
    def key(self) -> str:
        """The key as text."""
        return f"{self.user}@{self.service}"
