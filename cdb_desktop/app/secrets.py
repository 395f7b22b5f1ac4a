"""Keeps passwords in the system's keyring, or in memory where there is none. Knows no connection."""

from __future__ import annotations

import logging
import sys
from functools import partial

from cdb_desktop.app.aside import aside

_SERVICE = "cdb-desktop"
_log = logging.getLogger(__name__)

if sys.platform != "darwin":
    # Whichever keyring is in use, the library tries all of them, and this one has a compiler look for what
    # only macOS has: as long as a window takes to be made.
    sys.modules.setdefault("keyring.backends.macOS.api", None)  # type: ignore[arg-type]


class Secrets:
    """Passwords by a name such as ``root@https://db.example``; no method ever fails.

    The keyring's library is loaded with the first question and asked on a thread: it may wait for the user
    to unlock a keyring.
    """

    def __init__(self) -> None:
        self._memory: dict[str, str] = {}

    def __repr__(self) -> str:
        return "Secrets()"

    async def password(self, name: str) -> str:
        """The password that was kept, empty if none was."""
        kept = self._memory.get(name, "")
        return kept or await aside(partial(_read, name))

    async def keep(self, name: str, password: str) -> bool:
        """Keeps a password; False if only for as long as the program runs."""
        lasting = await aside(partial(_write, name, password))
        if not lasting:
            self._memory[name] = password
        return lasting

    async def forget(self, name: str) -> None:
        """Keeps the password no longer."""
        self._memory.pop(name, None)
        await aside(partial(_delete, name))

    async def are_lasting(self) -> bool:
        """Whether there is a keyring."""
        return await aside(_has_keyring)


def _has_keyring() -> bool:
    import keyring  # noqa: PLC0415  # asks the system for its services, which takes a moment

    try:
        # What is there in place of a keyring has no priority: one that fails, and one that swallows all.
        return float(keyring.get_keyring().priority) > 0
    except Exception as error:  # noqa: BLE001  # the system's services fail in ways of their own
        return _failed("asked for", error)


def _read(name: str) -> str:
    import keyring  # noqa: PLC0415

    try:
        return keyring.get_password(_SERVICE, name) or ""
    except Exception as error:  # noqa: BLE001
        _failed("read", error)
        return ""


def _write(name: str, password: str) -> bool:
    import keyring  # noqa: PLC0415

    if not _has_keyring():
        return False
    try:
        keyring.set_password(_SERVICE, name, password)
    except Exception as error:  # noqa: BLE001
        return _failed("written", error)
    return True


def _delete(name: str) -> None:
    import keyring  # noqa: PLC0415

    try:
        if keyring.get_password(_SERVICE, name) is not None:
            keyring.delete_password(_SERVICE, name)
    except Exception as error:  # noqa: BLE001
        _failed("cleared", error)


def _failed(what: str, error: Exception) -> bool:
    # Only the kind: what a keyring says about itself may hold what it was given.
    _log.info("the keyring could not be %s: %s", what, type(error).__name__)
    return False
