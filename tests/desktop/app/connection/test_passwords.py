"""Tests of storing passwords, with keyrings that work, fail or are missing."""

import logging
import subprocess
import sys

import keyring.core
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.errors import KeyringLocked

from cdb_desktop.app.connection.passwords import PasswordStore
from tests.desktop.app.services import MemoryKeyring

NAME = "root@https://db.example"


class LockedKeyring(MemoryKeyring):
    """A keyring that its owner does not unlock."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked(f"swordfish {service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked(f"{password} {service} {username}")


async def test_a_password_is_stored_in_the_keyring(keys: MemoryKeyring) -> None:
    """It is stored under the program's name, where the next run finds it, until it is deleted."""
    passwords = PasswordStore()
    assert await passwords.are_lasting()
    assert await passwords.keep(NAME, "swordfish")
    assert keys.passwords == {("cdb-desktop", NAME): "swordfish"}
    assert await PasswordStore().password(NAME) == "swordfish"
    await passwords.forget(NAME)
    await passwords.forget(NAME)
    assert (keys.passwords, await passwords.password(NAME)) == ({}, "")


@pytest.mark.parametrize("backend", [NoKeyring, NullKeyring])
async def test_without_a_keyring_a_password_is_stored_in_memory(
    monkeypatch: pytest.MonkeyPatch, backend: type[NoKeyring | NullKeyring]
) -> None:
    """This applies if there is no keyring and if it is disabled."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", backend())
    passwords = PasswordStore()
    assert not await passwords.are_lasting()
    assert not await passwords.keep(NAME, "swordfish")
    assert await passwords.password(NAME) == "swordfish"
    assert await PasswordStore().password(NAME) == ""
    await passwords.forget(NAME)
    assert await passwords.password(NAME) == ""


async def test_a_locked_keyring_is_treated_as_a_missing_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing fails, and the keyring's messages are not logged."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", LockedKeyring())
    passwords = PasswordStore()
    with caplog.at_level(logging.DEBUG):
        assert not await passwords.keep(NAME, "swordfish")
        assert await PasswordStore().password(NAME) == ""
        await passwords.forget(NAME)
        await passwords.keep(NAME, "swordfish")
    assert "KeyringLocked" in caplog.text
    assert "swordfish" not in f"{caplog.text} {passwords!r}"
    # Once it is unlocked, what it has is newer.
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    assert await passwords.keep(NAME, "trout")
    assert await PasswordStore().keep(NAME, "salmon")
    assert await passwords.password(NAME) == "salmon"


_SCRIPT = """
import sys
from cdb_desktop.app import application
from cdb_desktop.app.connection import passwords
begun = []
sys.addaudithook(lambda name, _given: begun.append(name) if name == "subprocess.Popen" else None)
print("keyring" in sys.modules, passwords._has_keyring() in {True, False}, begun)
"""


def test_the_library_is_not_loaded_at_the_start() -> None:
    """The library is loaded on first use, since it queries system services, and starts no other program."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False True []\n"
