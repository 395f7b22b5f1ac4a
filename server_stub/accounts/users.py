"""Users with their passwords, rights and groups."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from secrets import token_urlsafe
from typing import Any

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, func, insert, select, update

from server_stub.database.tables import event, group, membership, user

# A log-in that fails is logged with the name that was given.
MAX_LOGIN_CHARACTERS = 255
# The type of the user of an embedding program.
EMBEDDED_USER_TYPE = "embedded"


class Passwords:
    """Hashing of passwords with argon2; `cheap` is for demo users, whose passwords are public anyway."""

    def __init__(self, *, cheap: bool = False) -> None:
        self._hasher = (
            PasswordHasher(time_cost=1, memory_cost=8, parallelism=1) if cheap else PasswordHasher()
        )

    def hash(self, password: str) -> str:
        """Returns the argon2 hash with its salt and cost."""
        return self._hasher.hash(password)

    def fits(self, password: str, hashed: str) -> bool:
        """Whether a password matches a hash of any cost."""
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    @cached_property
    def dummy_hash(self) -> str:
        """The hash of a random password."""
        return self.hash(token_urlsafe())


class User(msgspec.Struct, frozen=True):
    """A user; the hash of the password is not included."""

    id: int
    login: str
    type: str
    displayname: str
    rights: frozenset[str]


USER_COLUMNS = (user.c.id, user.c.login, user.c.type, user.c.displayname, user.c.rights)


def user_of(row: Row[*tuple[Any, ...]]) -> User:
    """The user of a row with USER_COLUMNS."""
    rights = frozenset(msgspec.json.decode(row.rights, type=list[str]))
    return User(row.id, row.login, row.type, row.displayname, rights)


class Users:
    """Adds and finds users and groups."""

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords

    def add(
        self,
        connection: Connection,
        login: str,
        password: str,
        *,
        displayname: str,
        rights: Sequence[str] = (),
        kind: str = "easydb",
    ) -> User:
        """Creates a user."""
        values = {
            "id": _unused_id(connection),
            "login": login,
            "password_hash": self._passwords.hash(password),
            "type": kind,
            "displayname": displayname,
            "rights": msgspec.json.encode(sorted(rights)).decode(),
        }
        row = connection.execute(insert(user).values(values).returning(*USER_COLUMNS)).one()
        return user_of(row)

    def admit_embedded_user(
        self, connection: Connection, login: str, password: str, *, displayname: str, rights: Sequence[str]
    ) -> User:
        """Creates the one user of the program that started the server, or renews its login and password."""
        known = select(user.c.id).where(user.c.type == EMBEDDED_USER_TYPE)
        if connection.execute(known).first() is None:
            return self.add(
                connection, login, password, displayname=displayname, rights=rights, kind=EMBEDDED_USER_TYPE
            )
        renewed = update(user).where(user.c.type == EMBEDDED_USER_TYPE).returning(*USER_COLUMNS)
        values = {"login": login, "password_hash": self._passwords.hash(password)}
        return user_of(connection.execute(renewed.values(values)).one())

    def set_password(self, connection: Connection, who: User, password: str) -> None:
        """Changes the password of a user; its sessions stay signed in."""
        hashed = self._passwords.hash(password)
        connection.execute(update(user).where(user.c.id == who.id).values(password_hash=hashed))

    def verified(self, connection: Connection, login: str, password: str) -> User | None:
        """Returns the user with this login and password, or None."""
        found = connection.execute(
            select(*USER_COLUMNS, user.c.password_hash).where(user.c.login == login)
        ).first()
        # Unknown logins take as long as known ones, so that the response time does not reveal known logins.
        hashed = self._passwords.dummy_hash if found is None else found.password_hash
        fits = self._passwords.fits(password, hashed)
        return user_of(found) if found is not None and fits else None

    def password_hash(self, connection: Connection, who: User) -> str | None:
        """The stored hash of a user's password, None if the user does not exist any more."""
        return connection.execute(select(user.c.password_hash).where(user.c.id == who.id)).scalar()

    def is_empty(self, connection: Connection) -> bool:
        """Whether there are no users."""
        return connection.execute(select(user.c.id).limit(1)).first() is None

    def add_group(self, connection: Connection, name: str, displayname: str, members: Sequence[int]) -> int:
        """Creates a group; returns its id."""
        made = insert(group).values(name=name, displayname=displayname).returning(group.c.id)
        group_id = int(connection.execute(made).scalar_one())
        if members:
            rows = [{"group_id": group_id, "user_id": member} for member in members]
            connection.execute(insert(membership), rows)
        return group_id

    def groups_of(self, connection: Connection, user_id: int) -> list[tuple[int, str, str]]:
        """Id, name and display name of the groups that a user is in."""
        chosen = select(group.c.id, group.c.name, group.c.displayname).join_from(group, membership)
        found = connection.execute(chosen.where(membership.c.user_id == user_id).order_by(group.c.id))
        return [(row.id, row.name, row.displayname) for row in found]


def _unused_id(connection: Connection) -> int:
    """Returns an id that no user and no event has, so that events of a removed user are not reassigned."""
    greatest = [
        connection.execute(select(func.max(column))).scalar() for column in (user.c.id, event.c.user_id)
    ]
    return 1 + max(number or 0 for number in greatest)


ROOT = "system.root"
EVENT_GET = "system.api.event.get"
EVENT_DELETE = "system.api.event.delete"
# Each level of the data model includes those before it (wire §2).
LEVELS = ("current", "development", "commit")
MODEL_CURRENT, MODEL_DEVELOPMENT, MODEL_COMMIT = (f"system.datamodel.{level}" for level in LEVELS)
ALL_RIGHTS = (EVENT_GET, EVENT_DELETE, MODEL_CURRENT, MODEL_DEVELOPMENT, MODEL_COMMIT)


def allows(rights: AbstractSet[str], needed: str) -> bool:
    """Whether the granted rights include the required one."""
    if ROOT in rights or needed in rights:
        return True
    models = (MODEL_CURRENT, MODEL_DEVELOPMENT, MODEL_COMMIT)
    return needed in models and any(higher in rights for higher in models[models.index(needed) :])


def rights_object(rights: AbstractSet[str]) -> dict[str, dict[str, str]]:
    """`system_rights` of the session object: the contract's dotted names and the vendor's (wire §2)."""
    carried: dict[str, dict[str, str]] = {right: {} for right in ALL_RIGHTS if allows(rights, right)}
    level = next((level for level in reversed(LEVELS) if f"system.datamodel.{level}" in carried), None)
    if level is not None:
        carried["system.datamodel"] = {"level": level}
    if ROOT in rights:
        carried[ROOT] = {}
    return carried | {right: {} for right in rights if right not in carried}
