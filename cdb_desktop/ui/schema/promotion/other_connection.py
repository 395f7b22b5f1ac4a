"""What the schema page knows about other connections. The window imports this at its start."""

from collections.abc import Awaitable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from cdb_desktop.client import Client


@dataclass(frozen=True, slots=True)
class OtherConnection:
    """A remembered connection; ``is_this`` is whether it is the one that is open here.

    ``asks_password``: it signs in with a password, rather than in the browser.
    """

    key: str
    title: str
    subtitle: str
    color: str
    is_this: bool = False
    asks_password: bool = True


class OtherConnections(Protocol):
    """The remembered connections, implemented by `cdb_desktop.app.connection.controller`."""

    def profiles(self) -> Sequence[OtherConnection]:
        """All of them, the one that was used last first."""

    def password(self, key: str) -> Awaitable[str]:
        """The stored password, or an empty string."""

    def open(self, key: str, password: str) -> AbstractAsyncContextManager[Client]:
        """Signs in with a session of its own, and signs out at the end. Raises ClientError."""
