"""Remembered connections: their profiles in a file, their passwords in the keyring."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
from filelock import BaseAsyncFileLock
from msgspec.structs import replace

from cdb_desktop.app.connection.passwords import PasswordStore, Secrets
from cdb_desktop.client import Tokens
from cdb_desktop.foundation.files import (
    DAMAGE,
    async_lock_of,
    lock_of,
    or_earlier,
    report_unwritten,
    set_aside,
    write_whole,
)
from cdb_desktop.ui.connection.address import parse_address
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile

_Change = Callable[[tuple[ConnectionProfile, ...]], tuple[ConnectionProfile, ...]]
_MAX_PROFILES = 50
_PATIENCE = 15.0  # seconds that another window may take to renew a kept sign-in


class ConnectionFile:
    """The file of profiles, newest first and without passwords, which all windows of the user share.

    A damaged file is set aside. If it cannot be written that is reported, and the profiles last for this run;
    the next change that can be written brings the earlier ones with it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._unwritten: list[_Change] = []
        self.profiles = self._read(())

    def sign_in_lock(self) -> BaseAsyncFileLock:
        """What all windows hold while they use a kept sign-in. Raises OSError when it is acquired."""
        return async_lock_of(self._file.with_name("sign-in"), _PATIENCE)

    def keep(self, profile: ConnectionProfile) -> None:
        """Puts a profile first, and removes the one with the same address and login."""
        self._change(lambda before: (profile, *(one for one in before if one.key != profile.key)))

    def forget(self, profile: ConnectionProfile) -> None:
        """Removes a profile."""
        self._change(lambda before: tuple(one for one in before if one.key != profile.key))

    def _change(self, change: _Change) -> None:
        """Changes the present content of the file: another window may have changed it since."""
        self._unwritten.append(change)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with lock_of(self._file):
                self.profiles = self._read(self.profiles)
                for each in self._unwritten:
                    self.profiles = each(self.profiles)[:_MAX_PROFILES]
                write_whole(self._file, msgspec.json.format(msgspec.json.encode(self.profiles)))
            self._unwritten.clear()
        except OSError as error:
            self.profiles = change(self.profiles)[:_MAX_PROFILES]
            report_unwritten(self._file, error)

    def _read(self, otherwise: tuple[ConnectionProfile, ...]) -> tuple[ConnectionProfile, ...]:
        file = or_earlier(self._file)
        try:
            found = msgspec.json.decode(file.read_bytes(), type=tuple[ConnectionProfile, ...])
            for profile in found:
                _ = profile.title  # raises ValueError for an invalid address
        except OSError:
            return otherwise
        except DAMAGE as error:
            set_aside(file, error)
            return otherwise
        return tuple(sorted(found, key=lambda one: one.used, reverse=True))


class ConnectionStore(msgspec.Struct, frozen=True):
    """Entries and their passwords."""

    file: ConnectionFile
    passwords: PasswordStore

    def profile(self, address: str, login: str) -> ConnectionProfile:
        """The newest remembered connection to ``address``, as ``login`` if that is given, or a new one."""
        url = parse_address(address).url or address
        fitting = (one for one in self.file.profiles if one.address == url and login in {"", one.login})
        return next(fitting, ConnectionProfile(url, login))

    def note(self, profile: ConnectionProfile) -> None:
        """Records that a profile has just been used."""
        self.file.keep(replace(profile, used=time.time()))

    async def secrets(self, entered: ConnectionInput) -> Secrets:
        """The secrets to sign in with: the ones that were entered, else those that are stored."""
        profile, find = entered.profile, self.passwords.password
        has_client = bool(profile.sign_in.client)
        client = entered.secret or (await find(profile.secret_key) if has_client else "")
        if profile.sign_in.method == "browser":
            return Secrets(refresh=await find(profile.refresh_key) if profile.login else "", client=client)
        password = entered.password or (await find(profile.key) if profile.login else "")
        return Secrets(password, client=client)

    def keep_tokens(self, profile: ConnectionProfile, tokens: Tokens | None) -> None:
        """Stores the refresh token of a profile, or deletes it."""
        self.passwords.keep_soon(profile.refresh_key, tokens.refresh if tokens is not None else "")

    @asynccontextmanager
    async def kept_token(self, profile: ConnectionProfile) -> AsyncIterator[str]:
        """The stored refresh token of a profile; at the end, what has been kept since is stored.

        No other window uses it meanwhile: a service ends a sign-in of which a token is used twice.
        """
        lock = self.file.sign_in_lock()
        # Without a folder for it, or behind a window that waits long for its service, it is worth a try.
        with suppress(OSError):
            await lock.acquire()
        try:
            yield await self.passwords.password(profile.refresh_key)
            await self.passwords.written()
        finally:
            await lock.release()

    async def keep(self, entered: ConnectionInput) -> None:
        """Stores password, passphrase and secret, or deletes them, as chosen in the form."""
        profile = entered.profile
        if entered.remember is False:
            await self.forget(profile)
        elif entered.remember:
            if entered.password:
                await self.passwords.keep(profile.key, entered.password)
            if entered.passphrase:
                await self.passwords.keep(profile.passphrase_key, entered.passphrase)
            if entered.secret:
                await self.passwords.keep(profile.secret_key, entered.secret)

    async def forget(self, profile: ConnectionProfile) -> None:
        """Deletes the secrets of a profile."""
        await self.passwords.forget(profile.key)
        await self.passwords.forget(profile.refresh_key)  # kept before another method was chosen
        if profile.sign_in.client:
            await self.passwords.forget(profile.secret_key)
        if profile.network.certificate:
            await self.passwords.forget(profile.passphrase_key)
