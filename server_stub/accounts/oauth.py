"""OAuth 2.0: authorization codes with PKCE, access tokens, refresh tokens that rotate, revocation.

An access token is the token of a session, so that rights, events and signing out are those of sessions.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hmac import compare_digest
from typing import Any
from uuid import uuid4

import msgspec
from sqlalchemy import Connection, Row, delete, insert, or_, select, update

from server_stub.accounts.sessions import Credentials, Session, Sessions, hash_of
from server_stub.accounts.users import USER_COLUMNS, User, user_of
from server_stub.database import Database, WriteLock
from server_stub.database.tables import oauth_token, session, user
from server_stub.foundation.errors import UserError

# The client of the web frontend; it is public and has no secret.
CLIENT = "web-client"
# The scope with which an access token comes with a refresh token.
OFFLINE = "offline"

_LIVES = {"code": 600, "refresh": 30 * 86_400}  # seconds
# RFC 8252: a program on this machine listens at any port of a loopback address.
_REDIRECT = re.compile(
    r"(?P<origin>http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?)(?:/[\w\-.~!$&'()*+,;=:@%/?]*)?",
    re.ASCII,
)
_CHALLENGE = re.compile(r"[\w-]{43}", re.ASCII)
_VERIFIER = re.compile(r"[\w.~-]{43,128}", re.ASCII)
_MIN_STATE = 8


class OAuthError(Exception):
    """An error of RFC 6749, with its name and a description for people."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(f"{name}: {description}")
        self.name = name
        self.description = description


class AuthorizationRequest(msgspec.Struct, frozen=True):
    """What a client asks the browser to bring it: a code at a redirect address."""

    client_id: str
    redirect_uri: str
    response_type: str = ""
    scope: str = ""
    state: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""

    @property
    def origin(self) -> str:
        """The origin of the redirect address. Raises OAuthError if nothing may be sent there."""
        found = _REDIRECT.fullmatch(self.redirect_uri)
        if self.client_id != CLIENT:
            raise OAuthError("invalid_client", f"There is no client {self.client_id!r}.")
        if found is None:
            raise OAuthError("invalid_request", f"The client may not redirect to {self.redirect_uri!r}.")
        return found["origin"]

    def check(self) -> None:
        """Raises OAuthError for what is wrong although the redirect address is right."""
        if self.response_type != "code":
            raise OAuthError("unsupported_response_type", "response_type must be code.")
        if len(self.state) < _MIN_STATE:
            raise OAuthError("invalid_state", f"state must have at least {_MIN_STATE} characters.")
        if self.code_challenge_method != "S256" or not _CHALLENGE.fullmatch(self.code_challenge):
            raise OAuthError("invalid_request", "A code_challenge with the method S256 is needed.")
        check_scope(self.scope)


def check_scope(scope: str) -> None:
    """Raises OAuthError invalid_scope."""
    if unknown := set(scope.split()) - {OFFLINE}:
        raise OAuthError("invalid_scope", f"There is no scope {min(unknown)!r}.")


class Tokens(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a client gets; `expires_in` is in seconds."""

    access_token: str
    expires_in: int
    token_type: str
    scope: str
    refresh_token: str | None = None

    def __repr__(self) -> str:
        return f"Tokens(expires_in={self.expires_in})"


class OAuth:
    """The codes and tokens of one database; `steady` is the clock of how long they live."""

    def __init__(self, database: Database, sessions: Sessions, steady: Callable[[], int]) -> None:
        self._database = database
        self._sessions = sessions
        self._steady = steady

    def authorize(self, request: AuthorizationRequest, given: Credentials) -> str:
        """Returns a code for a user who logs in. Raises UserError as `Sessions.authenticate`."""

        def store(connection: Connection, who: User) -> str:
            self._purge(connection)
            return self._store(
                connection,
                who,
                "code",
                str(uuid4()),
                client_id=request.client_id,
                scope=request.scope,
                redirect_uri=request.redirect_uri,
                challenge=request.code_challenge,
            )

        return self._sessions.checked(given, store)

    def by_password(self, given: Credentials, client_id: str, scope: str) -> Tokens:
        """Returns tokens for a log-in and password. Raises UserError, and OAuthError invalid_scope."""
        check_scope(scope)
        return self._sessions.checked(
            given,
            lambda connection, who: self._issue(
                connection, who, str(uuid4()), client_id, scope, given.ipv4_address, logs_in=True
            )[0],
        )

    def by_code(
        self, code: str, verifier: str, redirect_uri: str, client_id: str, ipv4_address: str | None
    ) -> Tokens:
        """Returns tokens for a code. Raises OAuthError invalid_grant."""

        def fits(row: Row[Any]) -> bool:
            return bool(row.redirect_uri == redirect_uri) and _verifies(verifier, row.challenge)

        return self._exchanged("code", code, client_id, ipv4_address, fits)

    def by_refresh(self, refresh_token: str, client_id: str, ipv4_address: str | None) -> Tokens:
        """Returns new tokens for a refresh token, which is used up. Raises OAuthError invalid_grant."""
        return self._exchanged("refresh", refresh_token, client_id, ipv4_address, lambda _: True)

    def revoke(self, token: str, ipv4_address: str | None) -> None:
        """Ends everything that came from the log-in of an access token or refresh token."""
        with self._database.write(WriteLock.ACCOUNTS) as connection:
            row = self._found(connection, token)
            if row is not None:
                self._end_family(connection, row.family, user_of(row), ipv4_address)
                return
            chosen = select(*USER_COLUMNS, session.c.reference).join_from(session, user)
            signed_in = connection.execute(chosen.where(session.c.token_hash == hash_of(token))).first()
            if signed_in is None:
                return
            of_session = oauth_token.c.session == signed_in.reference
            family = connection.execute(select(oauth_token.c.family).where(of_session)).scalar()
            if family is not None:
                self._end_family(connection, family, user_of(signed_in), ipv4_address)
            else:
                which = session.c.reference == signed_in.reference
                self._sessions.end_log_in(connection, user_of(signed_in), which, ipv4_address)

    def _exchanged(
        self,
        kind: str,
        token: str,
        client_id: str,
        ipv4_address: str | None,
        fits: Callable[[Row[Any]], bool],
    ) -> Tokens:
        # What a refused attempt has changed is stored: it may have ended a family.
        with self._database.write(WriteLock.ACCOUNTS) as connection:
            row = self._used(connection, token, kind, client_id)
            if row is not None and fits(row):
                tokens, opened = self._issue(
                    connection,
                    user_of(row),
                    row.family,
                    client_id,
                    row.scope,
                    ipv4_address,
                    logs_in=kind == "code",
                )
                if kind == "code":
                    self._change(connection, token, session=opened.reference)
                return tokens
        raise OAuthError(
            "invalid_grant", "The code or token is unknown, expired, used, revoked or another client's."
        )

    def _used(self, connection: Connection, token: str, kind: str, client_id: str) -> Row[Any] | None:
        """The row of a code or token that may be used, now for the last time; a used one ends its family."""
        row = self._found(connection, token)
        if row is None or row.kind != kind or row.client_id != client_id:
            return None
        if row.used:
            self._end_family(connection, row.family, user_of(row), None)
            return None
        self._change(connection, token, used=1)
        return None if row.created + _LIVES[kind] < self._steady() else row

    def _issue(
        self,
        connection: Connection,
        who: User,
        family: str,
        client_id: str,
        scope: str,
        ipv4_address: str | None,
        *,
        logs_in: bool,
    ) -> tuple[Tokens, Session]:
        self._purge(connection)
        token, opened = self._sessions.open(connection, who, ipv4_address, logs_in=logs_in)
        refresh = None
        if OFFLINE in scope.split():
            refresh = self._store(
                connection,
                who,
                "refresh",
                family,
                client_id=client_id,
                scope=scope,
                session=opened.reference,
            )
        return Tokens(token, opened.timeout, "bearer", scope, refresh), opened

    def _store(self, connection: Connection, who: User, kind: str, family: str, **values: object) -> str:
        token = secrets.token_urlsafe(32)
        known = {"token_hash": hash_of(token), "kind": kind, "family": family, "user_id": who.id}
        moment = {"created": self._steady(), "used": 0}
        connection.execute(insert(oauth_token).values({**known, **values, **moment}))
        return token

    def _found(self, connection: Connection, token: str) -> Row[Any] | None:
        chosen = select(oauth_token, *USER_COLUMNS).join_from(oauth_token, user)
        return connection.execute(chosen.where(oauth_token.c.token_hash == hash_of(token))).first()

    def _change(self, connection: Connection, token: str, **values: object) -> None:
        chosen = update(oauth_token).where(oauth_token.c.token_hash == hash_of(token))
        connection.execute(chosen.values(values))

    def _end_family(self, connection: Connection, family: str, who: User, ipv4_address: str | None) -> None:
        of_family = oauth_token.c.family == family
        references = select(oauth_token.c.session).where(of_family, oauth_token.c.session.is_not(None))
        which = session.c.reference.in_(references)
        self._sessions.end_log_in(connection, who, which, ipv4_address)
        connection.execute(delete(oauth_token).where(of_family))

    def _purge(self, connection: Connection) -> None:
        now = self._steady()
        old = or_(
            oauth_token.c.created < now - _LIVES["refresh"],
            (oauth_token.c.kind == "code") & (oauth_token.c.created < now - 2 * _LIVES["code"]),
        )
        connection.execute(delete(oauth_token).where(old))


def _verifies(verifier: str, challenge: str) -> bool:
    if not _VERIFIER.fullmatch(verifier):
        return False
    digest = hashlib.sha256(verifier.encode()).digest()
    return compare_digest(urlsafe_b64encode(digest).rstrip(b"=").decode(), challenge)


def blocked_or_wrong(error: UserError) -> str:
    """Why a log-in was refused, as a sentence that tells nothing about the account."""
    match error.code.rpartition(".")[2]:
        case "login_disabled_to":
            return f"Too many attempts. Log in again after {error.parameters['to']}."
        case "username_or_password_empty":
            return "Login and password are needed."
        case _:
            return "Login or password is wrong."
