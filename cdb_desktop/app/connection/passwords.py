"""Stores passwords in the system's keyring, or in memory without a keyring."""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import dataclass, field
from functools import partial

from cdb_desktop.foundation.threads import run_in_thread

_SERVICE = "cdb-desktop"
_log = logging.getLogger(__name__)

if sys.platform != "darwin":
    # The library imports every backend, and that of macOS searches for system libraries with a compiler,
    # which takes as long as creating a window.
    sys.modules.setdefault("keyring.backends.macOS.api", None)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Secrets:
    """What a connection signs in with, each empty for none.

    ``refresh`` is a refresh token, ``client`` is the secret with which the program presents itself.
    """

    password: str = field(default="", repr=False)
    refresh: str = field(default="", repr=False)
    client: str = field(default="", repr=False)

    @property
    def suffice(self) -> bool:
        """Whether the user need not be asked."""
        return bool(self.password or self.refresh)


class PasswordStore:
    """Passwords by a name such as ``root@https://db.example``. No method raises an exception.

    The keyring library is imported with the first call, and called on a thread: it may wait for the user to
    unlock a keyring.
    """

    def __init__(self) -> None:
        self._in_memory: dict[str, str] = {}
        self._writes: set[asyncio.Task[None]] = set()
        self._in_turn = asyncio.Lock()

    def __repr__(self) -> str:
        return "PasswordStore()"

    async def password(self, name: str) -> str:
        """The stored password, or an empty string."""
        return self._in_memory.get(name, "") or await run_in_thread(partial(_read, name))

    async def keep(self, name: str, password: str) -> bool:
        """Stores a password. Returns False if it lasts only until the program ends."""
        lasting = await run_in_thread(partial(_write, name, password))
        if lasting:
            self._in_memory.pop(name, None)
        else:
            self._in_memory[name] = password
        return lasting

    def keep_soon(self, name: str, secret: str) -> None:
        """Stores a secret, or deletes it if it is empty, without waiting for the keyring."""
        task = asyncio.get_running_loop().create_task(self._write_in_turn(name, secret))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def written(self) -> None:
        """Waits until the keyring has what is kept soon."""
        if self._writes:
            await asyncio.wait(self._writes)

    async def _write_in_turn(self, name: str, secret: str) -> None:
        async with self._in_turn:
            await (self.keep(name, secret) if secret else self.forget(name))

    async def forget(self, name: str) -> None:
        """Deletes a password."""
        self._in_memory.pop(name, None)
        await run_in_thread(partial(_delete, name))

    async def are_lasting(self) -> bool:
        """Whether there is a keyring, so that passwords outlast the program."""
        return await run_in_thread(_has_keyring)


def _has_keyring() -> bool:
    import keyring  # noqa: PLC0415  # slow: it searches for the system's services

    try:
        # The backends "fail" and "null" have no priority.
        return float(keyring.get_keyring().priority) > 0
    except Exception as error:  # noqa: BLE001  # backends raise exceptions of the system's services
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
    # Only the class: the text of the exception may contain the password.
    _log.info("the keyring could not be %s: %s", what, type(error).__name__)
    return False
