"""What a person of the demo house is, and how each kind of person spends the day; knows no database."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

import msgspec


class Rhythm(msgspec.Struct, frozen=True):
    """When somebody begins visits: weights of the hours, in local time, and of the days from Monday."""

    hours: tuple[int, ...]
    days: tuple[float, ...]


def _hours(**spans: int) -> tuple[int, ...]:
    """Weights by spans: `h8_12=9` weighs each hour from eight to before twelve with nine."""
    weights = [0] * 24
    for span, weight in spans.items():
        first, last = (int(hour) for hour in span[1:].split("_"))
        weights[first:last] = [weight] * (last - first)
    return tuple(weights)


OFFICE = Rhythm(
    _hours(h6_7=1, h7_8=6, h8_9=14, h9_12=18, h12_13=8, h13_15=16, h15_17=12, h17_18=5, h18_20=2, h20_22=1),
    (1.0, 1.1, 1.1, 1.05, 0.8, 0.06, 0.03),
)
PUBLIC = Rhythm(
    _hours(h0_1=1, h7_9=2, h9_12=6, h12_14=5, h14_18=8, h18_20=6, h20_23=7, h23_24=3),
    (0.8, 0.9, 0.9, 0.9, 0.8, 1.0, 1.2),
)
ALWAYS_ON = Rhythm(_hours(h0_6=2, h6_9=4, h9_18=8, h18_23=6, h23_24=3), (1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.9))
NIGHTLY = Rhythm(_hours(h1_2=2, h2_4=6, h4_5=3), (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5))


class Role(Enum):
    """What somebody is in the house for."""

    ADMINISTRATOR = "administrator"
    CURATOR = "curator"
    CONSERVATOR = "conservator"
    PHOTOGRAPHER = "photographer"
    REGISTRAR = "registrar"
    LIBRARIAN = "librarian"
    INTERN = "intern"
    GUEST = "guest"
    IMPORTER = "importer"
    INTERFACE = "interface"


RHYTHMS: Mapping[Role, Rhythm] = MappingProxyType(
    dict.fromkeys(Role, OFFICE) | {Role.GUEST: PUBLIC, Role.IMPORTER: NIGHTLY, Role.INTERFACE: ALWAYS_ON}
)


class Person(msgspec.Struct, frozen=True):
    """Somebody with an account; `busy` weighs the number of visits, `joined` counts days before the end."""

    id: int
    login: str
    displayname: str
    kind: str
    role: Role
    busy: float
    groups: tuple[str, ...]
    joined: int | None = None
    password: str | None = None
    rights: tuple[str, ...] = ()

    @property
    def ipv4_address(self) -> str:
        """Where the person works: offices, the house's machines, or somewhere outside."""
        if self.role is Role.GUEST:
            return f"192.168.{40 + self.id % 7}.{17 * self.id % 200 + 20}"
        if self.role in (Role.IMPORTER, Role.INTERFACE):
            return f"172.16.4.{self.id}"
        return f"10.20.{self.id % 5 + 1}.{self.id + 30}"
