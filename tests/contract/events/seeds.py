"""A small log and what each filter of §4.3 selects from it; list and delete read the same table (§4.5)."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from server_stub.events import Actor, EventDraft
from server_stub.http.services import Services
from tests.contract.builders import NOW, SUPPORT, VIEWER, by, event

MAIL = 7  # the id of a seventh user, whose type is `email`
EDITORS, GUESTS = 1, 2  # ids of two groups

# Letters name the events; events of the log itself (such as USER_LOGIN) have other types.
EVENTS: Mapping[str, EventDraft] = {
    "a": event("SEARCH", by(SUPPORT), timestamp=NOW - 86_400),
    "b": event("DETAIL_VIEW", by(SUPPORT), pollable=True, schema="USER", objecttype="work", object_id=3),
    "c": event("OBJECT_UPDATE", by(VIEWER), pollable=True, schema="BASE", base_type="user", object_id=6),
    "d": event("OBJECT_UPDATE", by(VIEWER), schema="BASE", base_type="group", object_id=1),
    "e": event("SEARCH", by(MAIL, kind="email", name="Mail")),
    "f": event("OBJECT_INDEX", None, pollable=True, schema="USER", objecttype="work", object_id=3),
    "g": event("SERVER_NOTE", None, timestamp=NOW + 86_400),
}
_TYPES = ",".join(sorted({draft.type for draft in EVENTS.values()}))

# §4.3: parameters and the events they leave; user ids 2, 6, 7 are in the groups 1 (2, 6) and 2 (7).
FILTERS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"pollable": "true"}, "bcf"),
    ({"pollable": "false"}, "adeg"),
    ({"pollable": "1"}, "bcf"),
    ({"pollable": "0"}, "adeg"),
    ({"type": "SEARCH"}, "ae"),
    ({"type": "SEARCH,OBJECT_INDEX"}, "aef"),
    ({"type": "NEVER_SEEN"}, ""),
    ({"base_type": "user"}, "c"),
    ({"base_type": "user,group"}, "cd"),
    ({"base_type": "pool"}, ""),
    ({"user_id": "2"}, "ab"),
    ({"user_id": "2,7"}, "abe"),
    ({"user_id": "99"}, ""),  # wire §3: unknown ids select nothing
    ({"group_id": "1"}, "abcd"),
    ({"group_id": "1,2"}, "abcde"),
    ({"group_id": "99"}, ""),
    ({"user_type": "email"}, "e"),
    ({"user_type": "email,easydb"}, "abcde"),
    ({"user_type": "unheard"}, ""),
    # Rule 1: the three user filters make a union …
    ({"user_id": "2", "user_type": "email"}, "abe"),
    ({"user_id": "6", "group_id": "2"}, "cde"),
    ({"group_id": "2", "user_type": "email"}, "e"),
    ({"user_id": "2", "group_id": "2", "user_type": "unheard"}, "abe"),
    # … and every other filter narrows.
    ({"user_id": "2", "user_type": "email", "type": "SEARCH"}, "ae"),
    ({"type": "OBJECT_UPDATE", "pollable": "true", "base_type": "user"}, "c"),
    ({"date_from": "2025-06-15T15:06:40"}, "bcdefg"),
    ({"date_to": "2025-06-15T15:06:40"}, "abcdef"),
    ({"date_from": "2025-06-15", "date_to": "2025-06-15"}, "bcdef"),
    ({"date_from": "2025-06-16", "pollable": "true"}, ""),
)


def add_seed_users(services: Services) -> None:
    """Stores the users and groups of EVENTS."""
    with services.database.write() as connection:
        services.users.add(connection, "mail", "mail", displayname="Mail", kind="email")
        services.users.add_group(connection, "editors", "Editors", [SUPPORT, VIEWER])
        services.users.add_group(connection, "guests", "Guests", [MAIL])


def seed(services: Services) -> dict[int, str]:
    """Stores EVENTS; returns the letter of each id."""
    with services.database.write() as connection:
        stored = services.log.append(connection, list(EVENTS.values()))
    return dict(zip(stored, EVENTS, strict=True))


def only_seeds(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, limited to the types of EVENTS unless they name a type."""
    return {"type": _TYPES} | dict(params)


# A log of some hundred events of all kinds.
TYPES = ("SEARCH", "DETAIL_VIEW", "OBJECT_UPDATE", "OBJECT_INSERT", "ÄNDERUNG")
BASE_TYPES = ("user", "group", "pool")
USERS = {2: ("Anna", "easydb"), 3: ("ärger", "easydb"), 4: ('Zoë, O\'Neil "Z"', "email"), 5: ("", "ldap")}
GROUPS = {1: {2, 3}, 2: {4}}
INFOS = (
    "{}",
    '{"query":"a,b;c\\t\\"d\\" ä😀\\n","page":3}',
    '{"list":["x",1,null,["y"]],"deep":{"er":{"n":1.5},"empty":{}},"no":null,"yes":true}',
    '{"tags":["x","y,z",7],"page":12}',
    '{"message":"' + "long ü" * 40 + '"}',
)


def random_drafts() -> Iterator[EventDraft]:
    """Events of all kinds, of the users in USERS and of none."""
    rng = Random(7)
    for _ in range(300):
        user = rng.choice((*USERS, None))
        schema = rng.choice(("USER", "BASE", None))
        name, kind = USERS[user] if user else ("", "")
        yield EventDraft(
            rng.choice(TYPES),
            NOW + rng.randrange(-5, 5) * 43_200 + rng.randrange(3),
            Actor(user, kind, name, rng.choice(("s1", "s2", None)), "10.0.0.1") if user else None,
            pollable=rng.random() < 0.5,
            base_type=rng.choice(BASE_TYPES) if schema == "BASE" else None,
            schema=schema,
            objecttype="work" if schema == "USER" else None,
            object_id=rng.choice((1, 2, 30, None)) if schema else None,
            object_version=rng.choice((1, 2, 10, None)) if schema else None,
            info=rng.choice(INFOS),
        )
