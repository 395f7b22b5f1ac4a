"""The demo users and staff: who they are, when they work, their accounts and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from secrets import token_urlsafe
from types import MappingProxyType

import msgspec
from sqlalchemy import Connection, update

from server_stub.accounts import Users
from server_stub.accounts.rights import EVENT_DELETE, EVENT_GET, MODEL_COMMIT, MODEL_DEVELOPMENT, ROOT
from server_stub.database.tables import user


class ActivityPattern(msgspec.Struct, frozen=True):
    """When visits begin: weights of the hours of a day, in local time, and of the weekdays from Monday."""

    hours: tuple[int, ...]
    days: tuple[float, ...]


def _hours(**spans: int) -> tuple[int, ...]:
    """Weights by spans: `h8_12=9` weighs each hour from eight to before twelve with nine."""
    weights = [0] * 24
    for span, weight in spans.items():
        first, last = (int(hour) for hour in span[1:].split("_"))
        weights[first:last] = [weight] * (last - first)
    return tuple(weights)


OFFICE = ActivityPattern(
    _hours(h6_7=1, h7_8=6, h8_9=14, h9_12=18, h12_13=8, h13_15=16, h15_17=12, h17_18=5, h18_20=2, h20_22=1),
    (1.0, 1.1, 1.1, 1.05, 0.8, 0.06, 0.03),
)
PUBLIC = ActivityPattern(
    _hours(h0_1=1, h7_9=2, h9_12=6, h12_14=5, h14_18=8, h18_20=6, h20_23=7, h23_24=3),
    (0.8, 0.9, 0.9, 0.9, 0.8, 1.0, 1.2),
)
ALWAYS_ON = ActivityPattern(
    _hours(h0_6=2, h6_9=4, h9_18=8, h18_23=6, h23_24=3), (1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.9)
)
NIGHTLY = ActivityPattern(_hours(h1_2=2, h2_4=6, h4_5=3), (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5))


class Role(Enum):
    """What somebody does in the museum."""

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


ACTIVITY_PATTERNS: Mapping[Role, ActivityPattern] = MappingProxyType(
    dict.fromkeys(Role, OFFICE) | {Role.GUEST: PUBLIC, Role.IMPORTER: NIGHTLY, Role.INTERFACE: ALWAYS_ON}
)


class Person(msgspec.Struct, frozen=True):
    """Somebody with an account; `busy` weighs the number of visits, `joined` is in days before the end."""

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
        """An address in the offices, the server room, or outside the museum."""
        if self.role is Role.GUEST:
            return f"192.168.{40 + self.id % 7}.{17 * self.id % 200 + 20}"
        if self.role in (Role.IMPORTER, Role.INTERFACE):
            return f"172.16.4.{self.id}"
        return f"10.20.{self.id % 5 + 1}.{self.id + 30}"


# Login, display name, password, busy, rights, groups. The password is the login, except for root.
_DEMO_USERS = (
    ("root", "Root", "admin", 1.2, (ROOT,), ("administration",)),
    ("support", "Sandra Kern (Support)", "support", 2.0, (EVENT_GET,), ("administration",)),
    ("steward", "Stefan Wolter (Steward)", "steward", 1.0, (EVENT_GET, EVENT_DELETE), ("administration",)),
    ("modeller", "Mona Ellinger (Modeller)", "modeller", 1.0, (MODEL_DEVELOPMENT,), ("administration",)),
    ("releaser", "René Leitner (Releaser)", "releaser", 0.3, (MODEL_COMMIT,), ("administration",)),
    ("viewer", "Vera Wiegand (Viewer)", "viewer", 0.8, (), ("guests",)),
)

# Login, display name, type, role, busy, groups, joined (days before the end).
_STAFF = (
    ("h.brandt", "Dr. Henrike Brandt", "ldap", Role.CURATOR, 7.0, "curators", None),
    ("j.ashworth", "Julian Ashworth", "ldap", Role.CURATOR, 5.0, "curators", None),
    ("m.czerny", "Dr. Mirko Czerny", "ldap", Role.CURATOR, 3.5, "curators", None),
    ("f.oduya", "Florence Oduya", "ldap", Role.CURATOR, 2.0, "curators", None),
    ("t.lindqvist", "Tilda Lindqvist", "ldap", Role.CONSERVATOR, 4.0, "conservation", None),
    ("p.amrein", "Paul Amrein", "ldap", Role.CONSERVATOR, 2.5, "conservation", None),
    ("k.sommerfeld", "Katja Sommerfeld", "easydb", Role.CONSERVATOR, 0.7, "conservation", None),
    ("l.nwosu", "Leo Nwosu", "ldap", Role.PHOTOGRAPHER, 6.0, "photography", None),
    ("i.petrak", "Ines Petrak", "easydb", Role.PHOTOGRAPHER, 2.0, "photography", None),
    ("g.hollis", "Grace Hollis", "ldap", Role.REGISTRAR, 4.5, "registrars", None),
    ("a.rosenthal", "Armin Rosenthal", "ldap", Role.REGISTRAR, 3.0, "registrars", None),
    ("s.yilmaz", "Selin Yılmaz", "easydb", Role.REGISTRAR, 1.0, "registrars curators", None),
    ("b.ferber", "Beate Ferber", "ldap", Role.LIBRARIAN, 3.0, "library", None),
    ("o.whitcombe", "Oliver Whitcombe", "ldap", Role.LIBRARIAN, 1.2, "library", None),
    ("n.dietz", "Nora Dietz", "easydb", Role.INTERN, 4.0, "interns photography", None),
    ("c.varga", "Csaba Varga", "easydb", Role.INTERN, 3.0, "interns curators", None),
    ("e.moreau", "Élise Moreau", "easydb", Role.INTERN, 2.5, "interns library", 11),
    ("d.kessler", "Dominik Keßler", "easydb", Role.ADMINISTRATOR, 1.5, "administration", None),
    ("r.tamm@example.org", "Prof. Riina Tamm", "email", Role.GUEST, 1.4, "guests", None),
    ("w.okafor@example.com", "Winston Okafor", "email", Role.GUEST, 0.9, "guests", None),
    ("auction.house@example.net", "Auction House Desk", "email", Role.GUEST, 0.6, "guests", None),
    ("l.santoro@example.org", "Lucia Santoro", "email", Role.GUEST, 0.7, "guests", 19),
    ("school.project@example.org", "Schulprojekt 9b", "email", Role.GUEST, 0.8, "guests", 6),
    ("importer", "Import Robot", "system", Role.IMPORTER, 2.2, "machines", None),
    ("website", "Website (API)", "easydb", Role.INTERFACE, 5.0, "machines", None),
    ("portal", "Collections Portal (API)", "easydb", Role.INTERFACE, 2.0, "machines", None),
)

GROUPS = (
    ("administration", "Administration · Administration"),
    ("curators", "Kuratorium · Curators"),
    ("conservation", "Restaurierung · Conservation"),
    ("photography", "Fotoatelier · Photography"),
    ("registrars", "Leihverkehr · Registrars"),
    ("library", "Bibliothek · Library"),
    ("interns", "Praktikum · Interns"),
    ("guests", "Gäste · Guests"),
    ("machines", "Dienste · Machines"),
)


def all_people() -> tuple[Person, ...]:
    """All accounts by ascending id, from 1; the demo users first."""
    demo = tuple(
        Person(
            id=number,
            login=login,
            displayname=displayname,
            kind="system" if login == "root" else "easydb",
            role=Role.GUEST if login == "viewer" else Role.ADMINISTRATOR,
            busy=busy,
            groups=groups,
            password=password,
            rights=rights,
        )
        for number, (login, displayname, password, busy, rights, groups) in enumerate(_DEMO_USERS, 1)
    )
    others = tuple(
        Person(number, login, displayname, kind, role, busy, tuple(groups.split()), joined)
        for number, (login, displayname, kind, role, busy, groups, joined) in enumerate(_STAFF, len(demo) + 1)
    )
    return demo + others


def people_by_login() -> dict[str, Person]:
    """All accounts by login."""
    return {person.login: person for person in all_people()}


def add_people(connection: Connection, users: Users, people: Iterable[Person]) -> None:
    """Adds accounts and groups; accounts without a demo password get a random one."""
    members: dict[str, list[int]] = {name: [] for name, _ in GROUPS}
    for person in people:
        _add(connection, users, person)
        for name in person.groups:
            members[name].append(person.id)
    for name, displayname in GROUPS:
        users.add_group(connection, name, displayname, members[name])


def _add(connection: Connection, users: Users, person: Person) -> None:
    made = users.add(
        connection,
        person.login,
        person.password or token_urlsafe(32),
        displayname=person.displayname,
        rights=person.rights,
        kind=person.kind,
    )
    if made.id != person.id:
        # Some databases do not reuse the ids of an interrupted attempt.
        connection.execute(update(user).where(user.c.id == made.id).values(id=person.id))
