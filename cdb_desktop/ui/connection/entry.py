"""What is remembered of a connection, and what is filled in to open one; knows no widget and no file."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec

DEFAULT_COLOUR = "#2F6FDB"


class Entry(msgspec.Struct, frozen=True):
    """One remembered connection, without its password; ``used`` is in seconds since 1970, 0 for never."""

    address: str
    login: str = ""
    name: str = ""
    colour: str = DEFAULT_COLOUR
    used: float = 0.0

    @property
    def key(self) -> str:
        """What tells it from all others, and the name of its password in the keyring."""
        return f"{self.login}@{self.address}"

    @property
    def title(self) -> str:
        """Its name, or the host of one that has none."""
        return self.name or urlsplit(self.address).netloc

    @property
    def subtitle(self) -> str:
        """Who signs in, and where."""
        bare = self.address.removeprefix("https://")
        return f"{self.login} · {bare}" if self.login else bare


@dataclass(frozen=True, slots=True)
class Filled:
    """What leads to a service; an empty ``password`` stands for the remembered one.

    ``remember`` is None where nobody was asked about it.
    """

    entry: Entry
    password: str = field(default="", repr=False)
    remember: bool | None = None
