"""The tokens of a client: issued by a sign-in, renewed before they expire or when one is refused, revoked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Protocol, TypeVar

from cdb_desktop.client.errors import ClientError, ServerError, SignInError
from cdb_desktop.client.generation6 import sign_in
from cdb_desktop.client.generation6.sign_in import Endpoints, OAuthClient, Tokens
from cdb_desktop.client.redaction import known_secrets
from cdb_desktop.client.request import Call

Result = TypeVar("Result")

_BEFORE = 60.0  # seconds before the end of a token, at most half of its life
_PATIENCE = 2.0  # seconds for a renewal that is under way at the end


def nothing_kept() -> AbstractAsyncContextManager[str]:
    """A block without a stored refresh token."""
    return nullcontext("")


class Send(Protocol):
    """Sends a call that needs no token. Raises ClientError."""

    def __call__(self, call: Call[Result], /) -> Awaitable[Result]: ...


class TokenLifecycle:
    """Keeps the tokens of one client valid."""

    def __init__(self, address: str, client: OAuthClient, send: Send) -> None:
        self.tokens: Tokens | None = None
        self.changed: Callable[[Tokens | None], object] = lambda _tokens: None
        self.kept: Callable[[], AbstractAsyncContextManager[str]] = nothing_kept
        known_secrets.update(filter(None, [client.secret]))
        self._address = address
        self._client = client
        self._send = send
        self._endpoints: Endpoints | None = None
        self._due = float("inf")
        self._renewal: asyncio.Task[bool] | None = None

    @property
    def access(self) -> str:
        """The access token, empty before a sign-in and after it was lost."""
        return self.tokens.access if self.tokens is not None else ""

    async def endpoints(self) -> Endpoints:
        """The addresses of OAuth 2.0, read once."""
        if self._endpoints is None:
            self._endpoints = await self._send(sign_in.discover(self._address))
        return self._endpoints

    async def sign_in(self, login: str, password: str) -> None:
        """Takes tokens for a password. Raises SignInError."""
        await self._request(sign_in.password_grant(await self.endpoints(), self._client, login, password))

    async def redeem(self, code: str, redirect: str, verifier: str) -> None:
        """Takes tokens for the code that the browser has brought. Raises SignInError."""
        endpoints = await self.endpoints()
        await self._request(sign_in.code_grant(endpoints, self._client, code, redirect, verifier))

    async def resume(self, refresh: str) -> None:
        """Takes tokens for a refresh token, or the one that is kept in its place. Raises SignInError."""
        endpoints = await self.endpoints()
        async with self.kept() as kept:
            await self._request(sign_in.refresh_grant(endpoints, self._client, kept or refresh))

    async def renew(self, refused: str) -> bool:
        """Renews the ``refused`` access token; whether there is another one now.

        Calls that wait at the same time share the renewal. Raises ClientError if the service fails.
        """
        if self.access != refused:
            return bool(self.access)
        if self.tokens is None or not self.tokens.refresh:
            return False
        if self._renewal is None or self._renewal.done():
            # A call that is cancelled must not lose the new tokens: the service has replaced the old ones.
            self._renewal = asyncio.get_running_loop().create_task(self._renew(self.tokens.refresh))
        return await asyncio.shield(self._renewal)

    async def _renew(self, refresh: str) -> bool:
        try:
            await self.resume(refresh)
        except SignInError as error:
            if error.problem == "revoked":
                self.forget()
            return False
        return True

    async def keep_fresh(self) -> None:
        """Renews an access token that expires soon. A failure counts only once the token is refused."""
        if time.monotonic() >= self._due:
            with suppress(ClientError):
                await self.renew(self.access)

    async def revoke(self) -> None:
        """Ends the tokens at the service and forgets them."""
        if self._renewal is not None:
            await asyncio.wait([self._renewal])
        tokens, self._due = self.tokens, float("inf")
        self.forget()
        for one in () if tokens is None else tokens.secrets[::-1]:
            await self.end(one)

    async def end(self, token: str) -> None:
        """Ends one token at the service."""
        await self._send(sign_in.revoke(await self.endpoints(), self._client, token))

    def forget(self) -> None:
        """Forgets the tokens."""
        self.tokens, self._due = None, float("inf")
        self.changed(None)

    async def close(self) -> None:
        """Waits a short time for new tokens that are on their way."""
        if self._renewal is not None and not self._renewal.done():
            await asyncio.wait([self._renewal], timeout=_PATIENCE)
            self._renewal.cancel()

    async def _request(self, call: Call[Tokens]) -> None:
        try:
            self._take(await self._send(call))
        except SignInError as error:
            if error.problem != "unavailable":
                raise
            # Not a refusal: the same may succeed later.
            raise ServerError(error.realm, error.code, {}, error.description, status=error.status) from None

    def _take(self, tokens: Tokens) -> None:
        known_secrets.update(tokens.secrets)
        self.tokens = tokens
        lifetime = tokens.expires_at - time.monotonic()
        self._due = tokens.expires_at - min(_BEFORE, lifetime / 2)
        self.changed(tokens)
