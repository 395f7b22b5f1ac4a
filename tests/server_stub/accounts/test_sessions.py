"""Sessions store no token, and credentials are hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from server_stub.accounts import Configuration, Credentials, Passwords, Sessions, Users
from server_stub.accounts.rights import allows, rights_object
from server_stub.database import Database
from server_stub.events import EventLog
from server_stub.foundation.errors import UserError


@pytest.fixture
def sessions(database: Database, log: EventLog) -> Sessions:
    """Sessions with one user, anna, whose password is her name."""
    users = Users(Passwords(cheap=True))
    with database.write() as connection:
        users.add(connection, "anna", "anna", displayname="Anna")
    return Sessions(database, users, log, Configuration(log, lambda: 1000), lambda: 1000)


def test_the_file_contains_no_token(sessions: Sessions, database: Database, tmp_path: Path) -> None:
    """The database file does not contain the token."""
    token, started = sessions.start()
    sessions.authenticate(started, Credentials("anna", "anna"))
    database.close()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert token.encode() not in stored
    assert started.reference.encode() in stored


def test_credentials_hide_the_password() -> None:
    """The representation of credentials does not contain the password."""
    assert "geheim" not in repr(Credentials("anna", "geheim"))


def test_an_unknown_token_is_not_repeated_whole(sessions: Sessions, database: Database) -> None:
    """The error for an unknown token contains only a part of it."""
    with database.reader() as reader, pytest.raises(UserError) as caught:
        sessions.find(reader, "a-token-of-another-server")
    assert "another" not in str(caught.value.parameters)


@pytest.mark.parametrize(
    ("held", "allowed"),
    [
        ("system.root", {"current", "development", "commit"}),
        ("system.datamodel.commit", {"current", "development", "commit"}),
        ("system.datamodel.development", {"current", "development"}),
        ("system.datamodel.current", {"current"}),
        ("system.api.event.get", set()),
    ],
)
def test_each_level_of_the_data_model_includes_those_below(held: str, allowed: set[str]) -> None:
    """wire §2: commit includes development includes current."""
    levels = ("current", "development", "commit")
    assert {level for level in levels if allows({held}, f"system.datamodel.{level}")} == allowed


def test_rights_have_both_spellings() -> None:
    """wire §2: rights have dotted names and the vendor's level."""
    rights = rights_object({"system.datamodel.development"})
    assert rights["system.datamodel"] == {"level": "development"}
    assert {"system.datamodel.current", "system.datamodel.development"} <= set(rights)
    assert "system.datamodel.commit" not in rights
