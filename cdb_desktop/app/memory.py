"""What is remembered of connections: the entries in a file, their passwords elsewhere. Knows no window."""

from __future__ import annotations

import time

import msgspec
from msgspec.structs import replace

from cdb_desktop.app.known import Known
from cdb_desktop.app.secrets import Secrets
from cdb_desktop.ui.connection.address import judged
from cdb_desktop.ui.connection.entry import Entry, Filled


class Memory(msgspec.Struct, frozen=True):
    """Entries and passwords."""

    known: Known
    secrets: Secrets

    def entry(self, address: str, login: str) -> Entry:
        """The newest remembered connection to ``address``, as ``login`` if that is given, or a new one."""
        url = judged(address).url or address
        fitting = (one for one in self.known.entries if one.address == url and login in {"", one.login})
        return next(fitting, Entry(url, login))

    def note(self, entry: Entry) -> None:
        """An entry has just been used."""
        self.known.keep(replace(entry, used=time.time()))

    async def keep(self, filled: Filled) -> None:
        """Remembers password and passphrase that were filled in, or no longer, as was wanted."""
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
        """Remembers password and passphrase of an entry no longer."""
        await self.secrets.forget(entry.key)
        if entry.network.certificate:
            await self.secrets.forget(entry.passphrase_key)
