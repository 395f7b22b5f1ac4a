"""`cdb-server user …`: administers users on a database, whether a server runs on it or not."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from server_stub.accounts import KNOWN_RIGHTS, Account, AccountError, Administration, User
from server_stub.accounts.users import MAX_LOGIN_CHARACTERS
from server_stub.database import WriteLock, check_address, open_database
from server_stub.foundation.command_line import CommandParser
from server_stub.process.composition import compose

_Action = Callable[[Administration, Connection, argparse.Namespace], str]


def add_arguments(parser: CommandParser) -> None:
    """Adds the subcommands; each sets `action`."""
    _take_database(parser)
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    add = _subcommand(actions, "add", _add, "make a user", "anna --group editors")
    add.add_argument("--name", help="display name (default: the login)")
    _choice(add, "--right", "a right of the user; may be given several times", KNOWN_RIGHTS)
    _choice(add, "--group", "a group of the user, made where it does not exist; several times")
    password = _subcommand(
        actions, "passwd", _change_password, "change a password and end the user's sessions", "anna"
    )
    for each in (add, password):
        each.add_argument(
            "--password-stdin", action="store_true", help="read the password from the first line of stdin"
        )
    rights = _subcommand(
        actions, "rights", _change_rights, "show, grant and revoke rights", "anna --grant system.root"
    )
    _choice(rights, "--grant", "a right to grant; several times", KNOWN_RIGHTS)
    _choice(rights, "--revoke", "a right to revoke; several times", KNOWN_RIGHTS)
    groups = _subcommand(
        actions, "groups", _change_groups, "show, join and leave groups", "anna --join editors"
    )
    _choice(groups, "--join", "a group to put the user into; several times")
    _choice(groups, "--leave", "a group to take the user out of; several times")
    _subcommand(actions, "remove", _remove, "remove a user and end its sessions", "anna")
    _subcommand(actions, "list", _list, "list users, rights and groups", "", login=False)


def run(given: argparse.Namespace, database: str) -> None:
    """Runs a command. Raises AccountError or DatabaseUnusableError."""
    check_address(database)
    action: _Action = given.action
    if action is not _add:
        _must_exist(database)
    given.password = _password(given) if hasattr(given, "password_stdin") else None
    opened = open_database(database)
    try:
        services = compose(opened)
        with opened.write(WriteLock.ACCOUNTS) as connection:
            output = action(Administration(services.users, services.sessions), connection, given)
    except DatabaseError as error:
        raise AccountError(f"The database cannot be read or changed: {error.orig}.") from None
    finally:
        opened.close()
    print(output)


def _subcommand(
    actions: argparse._SubParsersAction[CommandParser],
    name: str,
    action: _Action,
    meaning: str,
    example: str,
    *,
    login: bool = True,
) -> CommandParser:
    made = actions.add_parser(
        name,
        help=meaning,
        description=f"{meaning[0].upper()}{meaning[1:]}.",
        examples=(f"user {name} {example}",),
    )
    made.set_defaults(action=action)
    _take_database(made)
    if login:
        made.add_argument("login", type=_login, metavar="LOGIN")
    return made


def _take_database(parser: argparse.ArgumentParser) -> None:
    """Accepts --database before and after a subcommand; the one before holds if it is left out after."""
    parser.add_argument("--database", metavar="URL", default=argparse.SUPPRESS, help="as for the server")


def _choice(
    parser: argparse.ArgumentParser, name: str, meaning: str, choices: tuple[str, ...] | None = None
) -> None:
    text = f"{meaning} ({', '.join(choices)})" if choices else meaning
    kind = str if choices else _login
    metavar = "RIGHT" if choices else "GROUP"
    parser.add_argument(
        name, action="append", default=[], choices=choices, type=kind, metavar=metavar, help=text
    )


def _login(text: str) -> str:
    if text.strip() != text or not text or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} is no name: it is empty, or has blanks around it")
    if len(text) > MAX_LOGIN_CHARACTERS:
        raise argparse.ArgumentTypeError(f"a log-in has at most {MAX_LOGIN_CHARACTERS} characters")
    return text


def _must_exist(database: str) -> None:
    """A mistyped path would create an empty database without users."""
    path = database.removeprefix("sqlite:///")
    if "://" not in path and not Path(path).exists():
        raise AccountError(f"There is no database {path}.")


def _password(given: argparse.Namespace) -> str:
    if given.password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        password = getpass.getpass(f"Password of {given.login}: ")
        if getpass.getpass("The same again: ") != password:
            raise AccountError("The two passwords differ.")
    else:
        raise AccountError("There is no terminal to ask for the password at; give it with --password-stdin.")
    if not password:
        raise AccountError("The password is empty.")
    return password


def _add(administration: Administration, connection: Connection, given: argparse.Namespace) -> str:
    wanted = User(0, given.login, "easydb", given.name or given.login, frozenset(given.right))
    administration.add(connection, Account(wanted, tuple(given.group)), given.password)
    return f"Made the user {given.login}."


def _change_password(
    administration: Administration, connection: Connection, given: argparse.Namespace
) -> str:
    ended = administration.change_password(connection, given.login, given.password)
    return f"Changed the password of {given.login}; sessions ended: {ended}."


def _change_rights(administration: Administration, connection: Connection, given: argparse.Namespace) -> str:
    who = administration.change_rights(connection, given.login, given.grant, given.revoke)
    return "\n".join(sorted(who.rights)) or f"{given.login} has no rights."


def _change_groups(administration: Administration, connection: Connection, given: argparse.Namespace) -> str:
    groups = administration.change_groups(connection, given.login, given.join, given.leave)
    return "\n".join(groups) or f"{given.login} is in no group."


def _remove(administration: Administration, connection: Connection, given: argparse.Namespace) -> str:
    administration.remove(connection, given.login)
    return f"Removed the user {given.login}."


def _list(administration: Administration, connection: Connection, _: argparse.Namespace) -> str:
    rows = [("LOGIN", "TYPE", "NAME", "RIGHTS", "GROUPS")]
    for account in administration.accounts(connection):
        who = account.user
        rights, groups = ",".join(sorted(who.rights)) or "-", ",".join(account.groups) or "-"
        rows.append((who.login, who.type, who.displayname, rights, groups))
    return "\n".join("\t".join(row) for row in rows)
