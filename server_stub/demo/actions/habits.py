"""What people of each role do on a visit, and with which objecttypes; knows no time and no database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import msgspec

from server_stub.demo.actions import editing, exporting, looking, machines, office
from server_stub.demo.actions.choice import Choice
from server_stub.demo.actions.scene import Scene
from server_stub.demo.people import Role

Action = Callable[[Scene], None]

_READING: tuple[tuple[Action, float], ...] = (
    (looking.search, 34),
    (looking.view, 36),
    (looking.download, 4),
    (looking.stumble, 0.3),
    (looking.miss, 0.5),
    (office.accept_message, 0.5),
)
_WORKING: tuple[tuple[Action, float], ...] = (
    *_READING,
    (editing.update, 8),
    (office.keep_folder, 1.2),
    (office.share_folder, 0.15),
    (office.get_mail, 1),
    (office.change_account, 0.15),
    (exporting.export, 0.5),
)
_ACTIONS: Mapping[Role, tuple[tuple[Action, float], ...]] = MappingProxyType(
    {
        Role.ADMINISTRATOR: (
            *_READING,
            (office.change_account, 3),
            (office.change_group, 2),
            (office.change_setting, 0.4),
            (machines.map_fields, 4),
            (exporting.export, 1),
        ),
        Role.CURATOR: (*_WORKING, (editing.add, 1.5), (machines.notify, 0.6), (editing.delete, 0.1)),
        Role.CONSERVATOR: (*_WORKING, (editing.update, 5), (editing.add, 4)),
        Role.PHOTOGRAPHER: (*_WORKING, (editing.add, 9), (editing.update_many, 1.2), (editing.delete, 0.4)),
        Role.REGISTRAR: (*_WORKING, (editing.update, 4), (editing.add, 1.5), (exporting.export, 0.8)),
        Role.LIBRARIAN: (*_WORKING, (editing.add, 4), (editing.delete, 0.2)),
        Role.INTERN: (*_WORKING, (editing.update, 6), (editing.update_many, 0.5), (looking.miss, 0.8)),
        Role.GUEST: (*_READING, (office.keep_folder, 0.8), (looking.search, 10)),
        Role.IMPORTER: ((machines.import_batch, 8), (machines.call, 3), (machines.notify, 1)),
        Role.INTERFACE: ((machines.call, 12), (looking.search, 2), (machines.notify, 2)),
    }
)
_TABLES: Mapping[Role, Mapping[str, float]] = MappingProxyType(
    {
        Role.ADMINISTRATOR: {"work": 5, "image": 3, "keyword": 1, "place": 1},
        Role.CURATOR: {
            "work": 50,
            "artist": 12,
            "image": 12,
            "exhibition": 8,
            "keyword": 4,
            "place": 4,
            "bibliography": 5,
            "tour": 4,
            "loan": 2,
        },
        Role.CONSERVATOR: {"condition_report": 45, "work": 35, "image": 8, "material": 6, "technique": 4},
        Role.PHOTOGRAPHER: {"image": 75, "work": 25},
        Role.REGISTRAR: {"loan": 35, "work": 30, "institution": 12, "storage_location": 12, "exhibition": 8},
        Role.LIBRARIAN: {"bibliography": 60, "artist": 20, "work": 15, "keyword": 5},
        Role.INTERN: {"work": 40, "image": 25, "keyword": 10, "artist": 10, "bibliography": 10, "place": 5},
        Role.GUEST: {"work": 60, "image": 20, "artist": 10, "exhibition": 8, "tour": 4},
        Role.IMPORTER: {"image": 40, "work": 30, "bibliography": 10, "artist": 8, "place": 6},
        Role.INTERFACE: {"work": 55, "image": 30, "artist": 8, "exhibition": 5, "tour": 4},
    }
)
_STEPS: Mapping[Role, tuple[int, int]] = MappingProxyType(
    dict.fromkeys(Role, (3, 22)) | {Role.IMPORTER: (1, 3), Role.INTERFACE: (6, 24), Role.GUEST: (2, 16)}
)
# What can be done where there is no object yet.
_WITHOUT_OBJECTS = (office.get_mail, office.accept_message, office.keep_folder, office.change_account)


class Habit(msgspec.Struct, frozen=True):
    """What a role does: actions, objecttypes, and how many steps a visit has at least and on top of that."""

    actions: Choice[Action]
    tables: Choice[str]
    steps: tuple[int, int]


def habits(tables: Collection[str]) -> Mapping[Role, Habit]:
    """The habits of each role where objects of these objecttypes exist."""
    return {role: _habit(role, tables) for role in Role}


def _habit(role: Role, tables: Collection[str]) -> Habit:
    known = {name: weight for name, weight in _TABLES[role].items() if name in tables}
    chosen = Choice((known or dict.fromkeys(sorted(tables), 1.0)).items())
    actions = _ACTIONS[role] if chosen else [(action, 1.0) for action in _WITHOUT_OBJECTS]
    return Habit(Choice(actions), chosen, _STEPS[role])
