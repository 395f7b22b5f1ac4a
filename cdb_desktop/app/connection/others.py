"""Other connections, whose models can be compared and taken over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from cdb_desktop.app.connection.connect import NetworkAccess, service_connection
from cdb_desktop.app.connection.network_controller import NetworkController
from cdb_desktop.app.connection.store import ConnectionStore
from cdb_desktop.client import Client
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnection


class RememberedConnections:
    """The connections of the store. Each sign-in is a session of its own, which is ended after use."""

    def __init__(self, store: ConnectionStore, network: NetworkController, key: str = "") -> None:
        """``key`` is that of the connection that is open."""
        self._store = store
        self._network = network
        self._key = key
        self._profiles: dict[str, ConnectionProfile] = {}

    def seen_from(self, key: str) -> RememberedConnections:
        """The same connections for another one that is open."""
        return RememberedConnections(self._store, self._network, key)

    def profiles(self) -> Sequence[OtherConnection]:
        """All of them, the one that was used last first."""
        # Kept, since another window may remove one from the file.
        self._profiles = {one.key: one for one in self._store.file.profiles}
        return [
            OtherConnection(key, one.title, one.subtitle, one.colour, is_this=key == self._key)
            for key, one in self._profiles.items()
        ]

    async def password(self, key: str) -> str:
        """The stored password, or an empty string."""
        return await self._store.passwords.password(key)

    def open(self, key: str, password: str) -> AbstractAsyncContextManager[Client]:
        """Signs in, and signs out at the end. Raises ClientError."""
        return self._open(self._profiles[key], password)

    @asynccontextmanager
    async def _open(self, profile: ConnectionProfile, password: str) -> AsyncIterator[Client]:
        self._network.forget_declined()
        options = await self._network.options(ConnectionInput(profile, password))

        async def remembered() -> str:
            return password

        access = NetworkAccess(options, self._network.ask)
        async with service_connection(profile, password, remembered, access) as connection:
            yield connection.client
