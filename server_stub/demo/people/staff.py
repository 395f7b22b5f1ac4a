"""The accounts of the demo house: the six that everybody may try, and those who work there."""

from __future__ import annotations

from server_stub.accounts.rights import EVENT_DELETE, EVENT_GET, MODEL_COMMIT, MODEL_DEVELOPMENT, ROOT
from server_stub.demo.people.person import Person, Role

# The demo users sign in with their login as password, but for root.
_DEMO = (
    ("root", "Root", "admin", 1.2, (ROOT,), ("administration",)),
    ("support", "Sandra Kern (Support)", "support", 2.0, (EVENT_GET,), ("administration",)),
    ("steward", "Stefan Wolter (Steward)", "steward", 1.0, (EVENT_GET, EVENT_DELETE), ("administration",)),
    ("modeller", "Mona Ellinger (Modeller)", "modeller", 1.0, (MODEL_DEVELOPMENT,), ("administration",)),
    ("releaser", "René Leitner (Releaser)", "releaser", 0.3, (MODEL_COMMIT,), ("administration",)),
    ("viewer", "Vera Wiegand (Viewer)", "viewer", 0.8, (), ("guests",)),
)

# login, display name, type, role, busy, groups, joined so many days before the end
_OTHERS = (
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


def everybody() -> tuple[Person, ...]:
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
        for number, (login, displayname, password, busy, rights, groups) in enumerate(_DEMO, 1)
    )
    others = tuple(
        Person(number, login, displayname, kind, role, busy, tuple(groups.split()), joined)
        for number, (login, displayname, kind, role, busy, groups, joined) in enumerate(
            _OTHERS, len(demo) + 1
        )
    )
    return demo + others


def by_login() -> dict[str, Person]:
    """Look-up of all accounts."""
    return {person.login: person for person in everybody()}
