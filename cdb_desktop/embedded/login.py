"""The random log-in of the embedded server: made up at its start and known to this program alone."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Login:
    """A name with its password; nobody else learns them, and nothing keeps them."""

    name: str
    password: str = field(repr=False)

    def line(self) -> bytes:
        """What the server is told on the first line of its standard input."""
        return json.dumps({"login": self.name, "password": self.password}).encode() + b"\n"


def random_login() -> Login:
    """A log-in that cannot be guessed."""
    return Login(f"desktop-{secrets.token_hex(4)}", secrets.token_urlsafe(24))
