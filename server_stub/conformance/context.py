"""The state of one run: the sessions, the rights of the log-in, and samples of what the service stores."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from server_stub.conformance.client import (
    EVENT_DELETE,
    EVENT_GET,
    NOT_ACCEPTED,
    CannotRunError,
    DeviationError,
    NoAnswerError,
    NotTriedError,
    Reply,
    Request,
    ServiceClient,
    expect,
    get,
    member,
    parse_time,
    post,
    succeed,
)

Json = dict[str, Any]
FORM = ("content-type", "application/x-www-form-urlencoded")
UNKNOWN_TOKEN = "no-such-token-of-a-conformance-check"  # noqa: S105 - it signs nobody in
# No type of events and no user has these, so that a filter with them selects nothing.
NOTHING = "CDB_CONFORM_NO_SUCH_TYPE"
NOBODY = "987654321987654"
SAMPLE = 200
_LEVELS = ("current", "development", "commit")
_SECOND = 1.1


@dataclass(frozen=True)
class Page:
    """The answer of a list, with its records."""

    reply: Reply
    members: Json
    records: Sequence[Json]

    @property
    def ids(self) -> list[int]:
        """The `_id` of the records, in their order."""
        return [record["event"]["_id"] for record in self.records]

    @property
    def count(self) -> int:
        """The total. Raises DeviationError if it is missing."""
        found: int = member(self.members, "count", int, str(self.reply.request))
        return found


def read_page(reply: Reply) -> Page:
    """The page in a reply. Raises DeviationError if it has another shape (wire §3)."""
    members = succeed(reply).object()
    objects = member(members, "objects", list, str(reply.request))
    return Page(reply, members, read_records(objects, str(reply.request)))


def read_records(found: object, where: str) -> list[Json]:
    """The records of a list. Raises DeviationError if one lacks id, type or time."""
    if not isinstance(found, list):
        raise DeviationError(f"{where}: the answer is not a list of records.")
    for record in found:
        expect(isinstance(record, dict), f"{where}: a record is not an object.")
        event = member(record, "event", dict, where)
        member(event, "_id", int, where)
        member(event, "type", str, where)
        parse_time(member(event, "timestamp", str, where), where)
        user = user_of(record)
        if user:
            member(user, "_id", int, where)
    return found


def user_of(record: Mapping[str, Any]) -> Json:
    """The user of a record; documentation and deployed services spell its key differently (wire §3).

    In generation 6 it is wrapped in an object that says whether it is a user or a group.
    """
    found = record.get("user", record.get("_user"))
    if isinstance(found, dict) and "_basetype" in found:
        found = found.get(found["_basetype"])
    return found if isinstance(found, dict) else {}


def has_right(rights: Mapping[str, Any], needed: str) -> bool:
    """Whether `system_rights` hold a right in the spelling of the interface or of deployed services (§8)."""
    if "system.root" in rights or needed in rights:
        return True
    base, _, level = needed.rpartition(".")
    if base != "system.datamodel":
        return False
    found = rights.get(base)
    given = found.get("level") if isinstance(found, dict) else None
    levels = [name for name in _LEVELS if f"{base}.{name}" in rights] + [given]
    return any(each in _LEVELS and _LEVELS.index(each) >= _LEVELS.index(level) for each in levels)


class Context:
    """The sessions and samples that checks share; `writes` allows changes of what the service stores.

    `session` is the answer to the log-in. `notes` are sentences about the run for the report.
    """

    def __init__(self, client: ServiceClient, login: str, password: str, *, writes: bool) -> None:
        self.client = client
        self.login = login
        self.writes = writes
        self.notes: list[str] = []
        # Why the remaining checks are not tried.
        self.stopped = ""
        # Why no further deletion is sent, and why none by ids.
        self.deletion_problem = ""
        self._body_problem = ""
        self.password = password
        self._signed_in: set[str] = set()
        self._inserted: set[int] = set()
        client.hide(password)
        self.token, self.session = self._first_session()
        self._signed_in_at = time.monotonic()

    # Calls

    def call(self, request: Request) -> Reply:
        """Makes a call with the session of the log-in. Raises NoAnswerError."""
        return self.call_with(request, self.token)

    def call_with(self, request: Request, token: str | None) -> Reply:
        """Makes a call with a token. Raises NoAnswerError."""
        if "pretty=" not in request.query:
            request = request.with_params([("pretty", "0")])
        reply = self.client.call(request, token)
        if reply.status == 200 and request.path == "event" and request.method == "POST":
            self._note_inserted(reply)
        elif reply.status == 200 and request.path == "event" and request.method == "DELETE":
            self._note_deleted(reply)
        elif reply.status == 200 and request.path.startswith("session") and request.method != "HEAD":
            self._note_session(reply)
        return reply

    def start_session(self) -> str:
        """The token of a new session. Raises DeviationError."""
        token = member(succeed(self.call_with(get("session"), None)).object(), "token", str, "GET session")
        expect(token, "GET session: the token is empty.")
        return str(token)

    def _note_session(self, reply: Reply) -> None:
        """Keeps in mind which sessions are signed in, and hides their tokens."""
        session = reply.object()
        token = session.get("token")
        if isinstance(token, str) and token:
            self.client.hide(token)
            self._signed_in.discard(token)
            if "authenticated" in session:
                self._signed_in.add(token)

    def is_signed_in(self) -> bool:
        """Whether the session of the checks is still signed in; also if that cannot be found out."""
        try:
            reply = self.call(get("session"))
            return reply.status >= 500 or (reply.status == 200 and "authenticated" in reply.object())
        except DeviationError:
            return True

    @cached_property
    def unauthenticated(self) -> str:
        """The token of a session that is never signed in."""
        return self.start_session()

    def finish(self) -> None:
        """Deletes the inserted events if that is possible and signs out; adds what remains to `notes`."""
        try:
            if self.writes and self._inserted and self.may(EVENT_DELETE):
                self._delete_inserted()
        except (DeviationError, NotTriedError) as error:
            self._note(f"Inserted events could not be deleted: {error}")
        if self._inserted:
            ids = ", ".join(map(str, sorted(self._inserted)))
            self._note(f"Events inserted by the checks that are still in the log: {ids}.")
        self._sign_out()

    def _delete_inserted(self) -> None:
        if self.may(EVENT_GET) and (ours := [id_ for id_ in sorted(self._inserted) if self._is_ours(id_)]):
            succeed(self.delete_by_ids(ours))

    def _sign_out(self) -> None:
        for token in sorted(self._signed_in):
            try:
                self.call_with(post("session/deauthenticate"), token)
            except DeviationError as error:
                self._note(f"A session could not be signed out: {error}")

    # What is known of the log-in

    @property
    def rights(self) -> Json:
        """`system_rights` of the session."""
        found = self.session.get("system_rights")
        return found if isinstance(found, dict) else {}

    def may(self, right: str) -> bool:
        """Whether the log-in has a right."""
        return has_right(self.rights, right)

    @property
    def user_id(self) -> int:
        """The id of the signed-in user. Raises NotTriedError."""
        outer = self.session.get("user")
        inner = outer.get("user") if isinstance(outer, dict) else None
        found = inner.get("_id") if isinstance(inner, dict) else None
        if type(found) is not int:
            raise NotTriedError("The session does not tell the id of its user.")
        return found

    @property
    def lowest(self) -> int:
        """The lower bound of polling. Raises NotTriedError."""
        found = self.session.get("current_max_event_id")
        if type(found) is not int:
            raise NotTriedError("The session has no current_max_event_id.")
        return found

    # Samples of what the service stores

    @cached_property
    def until(self) -> str:
        """A time up to which the log no longer grows, so that two lists up to it have the same events."""
        authenticated = self.session.get("authenticated")
        found = authenticated.get("timestamp") if isinstance(authenticated, dict) else None
        if not isinstance(found, str):
            raise NotTriedError("The session does not tell when it was signed in.")
        parse_time(found, "authenticated.timestamp")
        time.sleep(max(0.0, self._signed_in_at + _SECOND - time.monotonic()))
        return found

    def list_events(self, **params: str) -> Page:
        """A page of the events that were there at the log-in, with the given parameters."""
        given = params if "date_to" in params else params | {"date_to": self.until}
        return read_page(self.call(get("event/list", **given)))

    @cached_property
    def sample(self) -> Sequence[Json]:
        """The newest full records at the log-in. Raises NotTriedError if there are none."""
        if not self.may(EVENT_GET):
            raise NotTriedError(f"The log-in lacks the right {EVENT_GET}.")
        page = self.list_events(format="json_full", limit=str(SAMPLE), skip_count="true")
        if not page.records:
            raise NotTriedError("The log has no events.")
        return page.records

    @cached_property
    def newest(self) -> Sequence[int]:
        """The newest ids at the log-in, of short records. Raises NotTriedError if there are none."""
        found = self.list_events(limit=str(SAMPLE), skip_count="true").ids
        if not found:
            raise NotTriedError("The log has no events.")
        return found

    @cached_property
    def head(self) -> Json:
        """The document of HEAD. Raises NotTriedError if there is none."""
        return self.schema("HEAD")

    def schema(self, version: str) -> Json:
        """The document of a version. Raises NotTriedError if there is none."""
        reply = self.call(get(f"schema/user/{version}", format="json"))
        if reply.status == 404:
            raise NotTriedError(f"The service has no schema version {version}.")
        document = succeed(reply).object()
        where = f"schema {version}"
        for table in member(document, "tables", list, where):
            expect(isinstance(table, dict), f"{where}: a table is not an object.")
            name = member(table, "name", str, where)
            for part in ("columns", "foreign_keys", "unique_keys"):
                for each in table.get(part) or []:
                    expect(isinstance(each, dict), f"{where}, {name}: {part} holds what is not an object.")
        return document

    def restore_head(self, head: Json) -> None:
        """Saves HEAD as it was read, after a document that should have been refused was saved."""
        reply = self.call(post("schema/user/HEAD", head))
        if reply.status != 200:
            self._note(f"HEAD could not be saved as it was read before: {reply}.")

    # Inserted events and deletions

    def delete_by_ids(self, ids: Sequence[int]) -> Reply:
        """Deletes events of this run by their ids. Raises NotTriedError if that is not safe.

        Something between here and the service may drop the body of a DELETE, and a deletion without body and
        filter deletes everything. A body and a filter that selects nothing, which must not come together
        (§4.5), show whether the body arrives.
        """
        for event_id in ids:
            if event_id not in self._inserted or not self._is_ours(event_id):
                raise NotTriedError(f"The log does not say that the event {event_id} is of this session.")
        self._check_bodies_arrive()
        reply = self.client.call(Request("DELETE", "event", (("pretty", "0"),), json=list(ids)), self.token)
        if reply.status == 200:
            self._inserted.difference_update(ids)
        return reply

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def _check_bodies_arrive(self) -> None:
        problem = self.deletion_problem or self._body_problem
        if not problem:
            probe = self.call(Request("DELETE", "event", nothing_selected(), json=[-1]))
            if probe.status != 400 or probe.object().get("code") != NOT_ACCEPTED:
                problem = self._body_problem = (
                    "The service does not refuse ids together with a filter, so it is not certain that the "
                    "body of a deletion arrives; without it the deletion would have no filter."
                )
        if problem:
            raise NotTriedError(problem)

    def _note_deleted(self, reply: Reply) -> None:
        """Stops all further deletions if one that had to select nothing has deleted events."""
        try:
            count = reply.object().get("count")
        except DeviationError:
            count = None
        if count != 0:
            self.deletion_problem = "A deletion that must not select any event has been carried out."
            self._note(f"{self.deletion_problem} {reply.request}: {reply}.")

    def _note_inserted(self, reply: Reply) -> None:
        try:
            event = member(reply.object(), "event", dict, "POST event")
            self._inserted.add(member(event, "_id", int, "POST event"))
        except DeviationError as error:
            self._note(f"An insertion was answered with 200 but without the id of an event: {error}")

    def _is_ours(self, event_id: int) -> bool:
        """Whether the log says that an event is of this session, and not only the answer to an insertion."""
        reply = self.call(get(f"event/{event_id}"))
        if reply.status != 200:
            return False
        event = reply.object().get("event")
        return (
            isinstance(event, dict)
            and event.get("_id") == event_id
            and event.get("session_self") is True
            and event.get("type") in ("SEARCH", "DETAIL_VIEW")
        )

    # The first session

    def _first_session(self) -> tuple[str, Json]:
        """Starts a session and signs it in. Raises CannotRunError."""
        try:
            token = self.start_session()
            form = urlencode({"login": self.login, "password": self.password}).encode()
            request = Request("POST", "session/authenticate", content=form, headers=(FORM,), has_secret=True)
            session = succeed(self.call_with(request, token)).object()
        except NoAnswerError as error:
            raise CannotRunError(str(error)) from None
        except DeviationError as error:
            raise CannotRunError(f"The log-in failed. {error}") from None
        if not isinstance(session.get("authenticated"), dict):
            raise CannotRunError("The service answered the log-in with a session that is not signed in.")
        renewed = session.get("token")
        if isinstance(renewed, str) and renewed:
            token = renewed
        return token, session


def nothing_selected(**wanted: str) -> tuple[tuple[str, str], ...]:
    """Parameters of a deletion that selects nothing for several reasons, together with the wanted ones.

    Even a service that ignores some of its filters deletes nothing, and one that ignores all a single event.
    """
    guard = {"type": NOTHING, "user_id": NOBODY, "date_to": "1970-01-01", "limit": "1"}
    return tuple((guard | wanted).items())
