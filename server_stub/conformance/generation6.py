"""Calls a service of generation 6 with an access token; what it is expected to do is in the table."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from server_stub.conformance.client import (
    EVENT_DELETE,
    CannotRunError,
    DeviationError,
    NoAnswerError,
    Reply,
    Request,
    ServiceClient,
    get,
    member,
    succeed,
)
from server_stub.conformance.context import FORM, Context, Json
from server_stub.conformance.table import group_of

GROUPS_OF_GENERATION_6 = tuple(
    group_of(f"Generation 6: {part}")
    for part in ("the service", "signing in", "who may make a call", "events", "the data model", "changes")
)


class TokenContext(Context):
    """The access token of a log-in, with which the checks make their calls; the client is a public one."""

    def __init__(
        self, client: ServiceClient, login: str, password: str, *, writes: bool, client_id: str
    ) -> None:
        self._client_id = client_id
        super().__init__(client, login, password, writes=writes)

    def _first_session(self) -> tuple[str, Json]:
        try:
            form = {"grant_type": "password", "username": self.login, "password": self.password}
            given = succeed(self._oauth("token", **form)).object()
            for name in ("access_token", "refresh_token"):
                self.client.hide(str(given.get(name) or ""))
            token = member(given, "access_token", str, "oauth2/token")
            try:
                return token, succeed(self.call_with(get("user/session"), token)).object()
            except DeviationError:
                self._revoke(token)
                raise
        except NoAnswerError as error:
            raise CannotRunError(str(error)) from None
        except DeviationError as error:
            raise CannotRunError(f"The log-in failed. {error}") from None

    def _oauth(self, call: str, **form: str) -> Reply:
        content = urlencode({"client_id": self._client_id} | form).encode()
        request = Request("POST", f"oauth2/{call}", content=content, headers=(FORM,), has_secret=True)
        return self.client.call(replace(request, prefix="/api"))

    def _revoke(self, token: str) -> None:
        try:
            succeed(self._oauth("revoke", token=token))
        except DeviationError as error:
            self._note(f"The access token could not be revoked: {error}")

    def call_with(self, request: Request, token: str | None) -> Reply:
        """Makes a call with an access token in the header. Raises NoAnswerError."""
        if token is not None:
            bearer = ("authorization", f"Bearer {token}")
            request = replace(request, headers=(*request.headers, bearer))
        reply = self.client.call(request)
        call, _, event_id = request.path.partition("/")
        if reply.status == 200 and call == "event" and request.method == "POST":
            self._note_inserted(reply)
        elif reply.status == 200 and call == "event" and request.method == "DELETE" and event_id.isdigit():
            self._inserted.discard(int(event_id))
        return reply

    def is_signed_in(self) -> bool:
        """Whether the access token is still valid; also if that cannot be found out."""
        try:
            return self.call(get("user/session")).status != 400
        except DeviationError:
            return True

    def finish(self) -> None:
        """Deletes the inserted events if that is possible; revokes the token in any case."""
        try:
            for event_id in sorted(self._inserted) if self.may(EVENT_DELETE) else ():
                succeed(self.call(Request("DELETE", f"event/{event_id}")))
        except DeviationError as error:
            self._note(f"The checks could not tidy up: {error}")
        self._revoke(self.token)
        if self._inserted:
            ids = ", ".join(map(str, sorted(self._inserted)))
            self._note(f"Events inserted by the checks that are still in the log: {ids}.")
