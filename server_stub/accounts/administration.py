"""Administration of users, rights and groups."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from server_stub.accounts.sessions import Sessions
from server_stub.accounts.throttle import clear
from server_stub.accounts.users import (
    ALL_RIGHTS,
    EMBEDDED_USER_TYPE,
    ROOT,
    USER_COLUMNS,
    User,
    Users,
    user_of,
)
from server_stub.database.tables import group, membership, user

KNOWN_RIGHTS = (ROOT, *ALL_RIGHTS)


class AccountError(Exception):
    """A change that cannot be made. The message is for the administrator and contains no password."""


class Account(msgspec.Struct, frozen=True):
    """A user with the names of its groups."""

    user: User
    groups: tuple[str, ...]


class Administration(msgspec.Struct, frozen=True):
    """Changes within the transaction of a connection; one that raises AccountError has changed nothing."""

    users: Users
    sessions: Sessions

    def add(self, connection: Connection, wanted: Account, password: str) -> None:
        """Creates a user and missing groups; the id of `wanted` is ignored."""
        who = wanted.user
        if connection.execute(select(user.c.id).where(user.c.login == who.login)).first() is not None:
            raise AccountError(f"There is a user {who.login} already.")
        if ROOT not in who.rights and self.users.is_empty(connection):
            raise AccountError(f"The first user needs the right {ROOT}.")
        made = self.users.add(
            connection, who.login, password, displayname=who.displayname, rights=sorted(who.rights)
        )
        self._join(connection, made, wanted.groups)

    def change_password(self, connection: Connection, login: str, password: str) -> int:
        """Changes a password and unblocks the login; returns the number of ended sessions."""
        who = self._found(connection, login)
        self.users.set_password(connection, who, password)
        clear(connection, login)
        return self.sessions.end_all(connection, who)

    def change_rights(
        self, connection: Connection, login: str, granted: Iterable[str], revoked: Iterable[str]
    ) -> User:
        """Grants and revokes; both take effect with the next call of the user's sessions."""
        who = self._found(connection, login)
        rights = (who.rights | set(granted)) - set(revoked)
        if ROOT in who.rights - rights:
            self._keep_a_root(connection, who)
        encoded = msgspec.json.encode(sorted(rights)).decode()
        changed = update(user).where(user.c.id == who.id).values(rights=encoded).returning(*USER_COLUMNS)
        return user_of(connection.execute(changed).one())

    def change_groups(
        self, connection: Connection, login: str, joined: Iterable[str], left: Iterable[str]
    ) -> tuple[str, ...]:
        """Adds a user to groups, creating missing ones, and removes the user from others."""
        who = self._found(connection, login)
        self._join(connection, who, joined)
        ids = select(group.c.id).where(group.c.name.in_(list(left)))
        connection.execute(
            delete(membership).where(membership.c.user_id == who.id, membership.c.group_id.in_(ids))
        )
        return self._groups(connection, who)

    def remove(self, connection: Connection, login: str) -> None:
        """Removes a user and ends its sessions; its events remain."""
        who = self._found(connection, login)
        if ROOT in who.rights:
            self._keep_a_root(connection, who)
        self.sessions.end_all(connection, who)
        clear(connection, login)
        connection.execute(delete(user).where(user.c.id == who.id))

    def account(self, connection: Connection, login: str) -> Account:
        """A user by its login."""
        who = self._found(connection, login)
        return Account(who, self._groups(connection, who))

    def accounts(self, connection: Connection) -> list[Account]:
        """Every user, in the order of creation."""
        rows = connection.execute(select(*USER_COLUMNS).order_by(user.c.id)).all()
        return [Account(who, self._groups(connection, who)) for who in map(user_of, rows)]

    def _found(self, connection: Connection, login: str) -> User:
        row = connection.execute(select(*USER_COLUMNS).where(user.c.login == login)).first()
        if row is None:
            raise AccountError(f"There is no user {login}.")
        return user_of(row)

    def _groups(self, connection: Connection, who: User) -> tuple[str, ...]:
        return tuple(name for _, name, _ in self.users.groups_of(connection, who.id))

    def _join(self, connection: Connection, who: User, names: Iterable[str]) -> None:
        for name in sorted(set(names) - set(self._groups(connection, who))):
            known = connection.execute(select(group.c.id).where(group.c.name == name)).scalar()
            if known is None:
                self.users.add_group(connection, name, name, [who.id])
            else:
                connection.execute(insert(membership).values(user_id=who.id, group_id=known))

    def _keep_a_root(self, connection: Connection, leaving: User) -> None:
        """Raises AccountError if no other user, except for that of an embedding program, has every right."""
        others = connection.execute(
            select(*USER_COLUMNS).where(user.c.id != leaving.id, user.c.type != EMBEDDED_USER_TYPE)
        )
        if not any(ROOT in user_of(row).rights for row in others):
            raise AccountError(f"{leaving.login} is the last user with the right {ROOT}.")
