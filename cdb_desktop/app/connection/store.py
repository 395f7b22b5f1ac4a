"""Remembered connections: their entries in a file, their passwords in the keyring."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cdb_desktop.app.connection.secrets import SecretStore
from cdb_desktop.foundation.files import DAMAGE, lock_of, report_unwritten, set_aside, write_whole
from cdb_desktop.ui.connection.address import judged
from cdb_desktop.ui.connection.profile import Entry, Filled

_MAX_ENTRIES = 50


class ConnectionFile:
    """The file of entries, newest first and without passwords, which all windows of the user share.

    A damaged file is set aside. If it cannot be written that is reported, and the entries last for this run.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.entries = self._read(())

    def keep(self, entry: Entry) -> None:
        """Puts an entry first, and removes the one with the same address and login."""
        self._change(lambda before: (entry, *(one for one in before if one.key != entry.key)))

    def forget(self, entry: Entry) -> None:
        """Removes an entry."""
        self._change(lambda before: tuple(one for one in before if one.key != entry.key))

    def _change(self, change: Callable[[tuple[Entry, ...]], tuple[Entry, ...]]) -> None:
        """Changes the present content of the file: another window may have changed it since."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with lock_of(self._file):
                self.entries = change(self._read(self.entries))[:_MAX_ENTRIES]
                write_whole(self._file, msgspec.json.format(msgspec.json.encode(self.entries)))
        except OSError as error:
            self.entries = change(self.entries)[:_MAX_ENTRIES]
            report_unwritten(self._file, error)

    def _read(self, otherwise: tuple[Entry, ...]) -> tuple[Entry, ...]:
        try:
            found = msgspec.json.decode(self._file.read_bytes(), type=tuple[Entry, ...])
            for entry in found:
                _ = entry.title  # raises ValueError for an invalid address
        except OSError:
            return otherwise
        except DAMAGE as error:
            set_aside(self._file, error)
            return otherwise
        return tuple(sorted(found, key=lambda one: one.used, reverse=True))


class ConnectionStore(msgspec.Struct, frozen=True):
    """Entries and their secrets."""

    file: ConnectionFile
    secrets: SecretStore

    def entry(self, address: str, login: str) -> Entry:
        """The newest remembered connection to ``address``, as ``login`` if that is given, or a new one."""
        url = judged(address).url or address
        fitting = (one for one in self.file.entries if one.address == url and login in {"", one.login})
        return next(fitting, Entry(url, login))

    def note(self, entry: Entry) -> None:
        """Records that an entry has just been used."""
        self.file.keep(replace(entry, used=time.time()))

    async def keep(self, filled: Filled) -> None:
        """Stores password and passphrase, or deletes them, as chosen in the form."""
        entry = filled.entry
        if filled.remember is False:
            await self.secrets.forget(entry.key)
            if entry.network.certificate:
                await self.secrets.forget(entry.passphrase_key)
        elif filled.remember:
            if filled.password:
                await self.secrets.keep(entry.key, filled.password)
            if filled.passphrase:
                await self.secrets.keep(entry.passphrase_key, filled.passphrase)

    async def forget(self, entry: Entry) -> None:
        """Deletes password and passphrase of an entry."""
        await self.secrets.forget(entry.key)
        if entry.network.certificate:
            await self.secrets.forget(entry.passphrase_key)
