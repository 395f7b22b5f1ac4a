"""Tests of keeping passwords, with keyrings that work, fail and are not there."""

from __future__ import annotations

import logging
import subprocess
import sys

import keyring.core
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.errors import KeyringLocked

from cdb_desktop.app.connection.secrets import SecretStore
from tests.desktop.app.services import MemoryKeyring

NAME = "root@https://db.example"


class LockedKeyring(MemoryKeyring):
    """Its owner does not unlock it."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked(f"swordfish {service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked(f"{password} {service} {username}")


async def test_a_password_is_kept_in_the_keyring(keys: MemoryKeyring) -> None:
    """Under the program's name, where the next run finds it; forgotten, it is gone there."""
    secrets = SecretStore()
    assert await secrets.are_lasting()
    assert await secrets.keep(NAME, "swordfish")
    assert keys.kept == {("cdb-desktop", NAME): "swordfish"}
    assert await SecretStore().password(NAME) == "swordfish"
    await secrets.forget(NAME)
    await secrets.forget(NAME)
    assert (keys.kept, await secrets.password(NAME)) == ({}, "")


@pytest.mark.parametrize("backend", [NoKeyring, NullKeyring])
async def test_without_a_keyring_a_password_lasts_as_long_as_the_program(
    monkeypatch: pytest.MonkeyPatch, backend: type[NoKeyring | NullKeyring]
) -> None:
    """Both where there is none and where somebody has switched it off."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", backend())
    secrets = SecretStore()
    assert not await secrets.are_lasting()
    assert not await secrets.keep(NAME, "swordfish")
    assert await secrets.password(NAME) == "swordfish"
    assert await SecretStore().password(NAME) == ""
    await secrets.forget(NAME)
    assert await secrets.password(NAME) == ""


async def test_a_keyring_that_stays_locked_is_as_good_as_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing fails, and what it says about itself is written nowhere."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", LockedKeyring())
    secrets = SecretStore()
    with caplog.at_level(logging.DEBUG):
        assert not await secrets.keep(NAME, "swordfish")
        assert await SecretStore().password(NAME) == ""
        await secrets.forget(NAME)
    assert "KeyringLocked" in caplog.text
    assert "swordfish" not in f"{caplog.text} {secrets!r}"


_ASKING = """
import sys
from cdb_desktop.app import application
from cdb_desktop.app.connection import secrets
begun = []
sys.addaudithook(lambda name, _given: begun.append(name) if name == "subprocess.Popen" else None)
print("keyring" in sys.modules, secrets._has_keyring() in {True, False}, begun)
"""


def test_the_library_is_not_loaded_at_the_start() -> None:
    """It would ask the system for its services before there is a window; asked later, it begins no program
    that looks for another system's libraries.
    """
    done = subprocess.run(
        [sys.executable, "-c", _ASKING], capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stdout == "False True []\n"
