"""`cdb-server conform URL --login NAME`: compares a service with the interface, check by check."""

import argparse
import getpass
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from urllib.parse import urlencode

from server_stub.conformance.client import (
    CannotRunError,
    DeviationError,
    NoAnswerError,
    NotTriedError,
    Reply,
    Request,
    ServiceClient,
    base_address,
    cleaned,
    get,
    is_loopback,
    member,
    succeed,
)
from server_stub.conformance.context import FORM, Context, Json
from server_stub.conformance.event_checks import CSV, FILTERS, LIST, POLL, RETRIEVE
from server_stub.conformance.schema_checks import READ, SAVE, VERSIONS
from server_stub.conformance.table import (
    Group,
    Report,
    Result,
    ServiceCheck,
    Verdict,
    group_of,
    line_of,
    summary_lines,
    to_html,
    to_json,
)

GROUPS: tuple[Group, ...] = (
    group_of("Sessions"),
    group_of("Signing in and out"),
    group_of("Who may make a call"),
    group_of("Errors, paths and headers"),
    RETRIEVE,
    POLL,
    LIST,
    FILTERS,
    CSV,
    group_of("Inserting events"),
    group_of("Deleting events"),
    VERSIONS,
    READ,
    SAVE,
)
# After so many checks without an answer one after the other, the others are not tried.
_UNANSWERED = 3
# After so many differences one after the other, the session is looked at: it may have ended.
_SUSPICIOUS = 5
_LONGEST_SENTENCE = 600

AGREES, DIFFERS, CANNOT_RUN = 0, 1, 2


def run(given: argparse.Namespace) -> int:
    """Runs the command with the arguments of `cdb-server conform` and prints the results.

    Returns 0 if nothing differs, 1 if something does, and 2 if the checks cannot run.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        # Texts of services may have characters that a terminal cannot show.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _check_folder(given.html)
        _check_folder(given.json)
        base = base_address(given.url)
        password = _password(given)
        if base.startswith("http:") and not is_loopback(base):
            print("The connection is not encrypted; others can read the password.", file=sys.stderr)
        with ServiceClient(base, authority=given.ca, seconds=given.timeout) as client:
            report = check_service(
                client,
                given.login,
                password,
                writes=given.write,
                show=lambda text: print(text, flush=True),
                client_id=None if given.generation == 5 else given.client_id,
            )
        print()
        print("\n".join(summary_lines(report)))
        _write(given.html, to_html(report).encode(errors="replace"))
        _write(given.json, to_json(report))
    except CannotRunError as error:
        print(f"cdb-server: {error}", file=sys.stderr)
        return CANNOT_RUN
    return DIFFERS if report.counts[Verdict.DIFFERS] else AGREES


def check_service(
    client: ServiceClient,
    login: str,
    password: str,
    *,
    writes: bool,
    show: Callable[[str], None],
    groups: Sequence[Group] | None = None,
    client_id: str | None = None,
) -> Report:
    """Runs some or all checks of a generation and signs out; shows each result as it comes.

    The generation is 6 if there is the id of a client of OAuth 2.0.

    Raises CannotRunError if the service does not let the login in.
    """
    began, clock = datetime.now(UTC), time.monotonic()
    if client_id is None:
        every, context = GROUPS, Context(client, login, password, writes=writes)
    else:
        every = GROUPS_OF_GENERATION_6
        context = TokenContext(client, login, password, writes=writes, client_id=client_id)
    results: list[Result] = []
    try:
        for result in _results(context, groups or every):
            results.append(result)
            show(line_of(result))
    finally:
        context.finish()
    return Report(
        service=client.base,
        description=_described(context),
        login=login,
        began=began.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - clock, 3),
        writes=writes,
        results=results,
        notes=tuple(client.masked(note) for note in context.notes),
    )


def _results(context: Context, groups: Sequence[Group]) -> Iterator[Result]:
    unanswered = differing = 0
    for group in groups:
        for check in group.checks:
            if context.stopped:
                yield _result(context, group, check, (Verdict.NOT_TRIED, context.stopped), 0.0)
                continue
            began = time.monotonic()
            verdict, sentence, is_unanswered = _verdict(context, check)
            yield _result(context, group, check, (verdict, sentence), time.monotonic() - began)
            unanswered = unanswered + 1 if is_unanswered else 0
            if unanswered >= _UNANSWERED:
                context.stopped = "The service no longer answers."
            # Checks that were not tried say nothing about the session.
            if verdict is not Verdict.NOT_TRIED:
                differing = differing + 1 if verdict is Verdict.DIFFERS else 0
            if differing and differing % _SUSPICIOUS == 0 and not unanswered and not context.is_signed_in():
                context.stopped = "The session of the checks has ended."


def _verdict(context: Context, check: ServiceCheck) -> tuple[Verdict, str, bool]:
    """Verdict, sentence, and whether the service has not answered."""
    if reason := _obstacle(context, check):
        return Verdict.NOT_TRIED, reason, False
    try:
        check.run(context)
    except NotTriedError as error:
        return Verdict.NOT_TRIED, str(error), False
    except DeviationError as error:
        return Verdict.DIFFERS, str(error), isinstance(error, NoAnswerError)
    except Exception as error:  # noqa: BLE001 - answers may have any shape
        return Verdict.DIFFERS, f"The answer has an unexpected shape: {type(error).__name__} {error}.", False
    return Verdict.AGREES, "", False


def _obstacle(context: Context, check: ServiceCheck) -> str:
    """Why a check must not be made, else an empty text."""
    if check.writes and not context.writes:
        return "It changes what the service stores, which needs --write."
    for right in check.rights:
        if not context.may(right):
            return f"The log-in lacks the right {right}."
    return context.deletion_problem if check.deletes else ""


def _result(
    context: Context, group: Group, check: ServiceCheck, verdict: tuple[Verdict, str], seconds: float
) -> Result:
    # Sentences contain parts of answers, and these could contain the token of any session.
    sentence = cleaned(context.client.masked(verdict[1]), _LONGEST_SENTENCE)
    milliseconds = round(seconds * 1000, 1)
    return Result(group.title, check.section, check.title, check.basis, verdict[0], sentence, milliseconds)


def _described(context: Context) -> str:
    """Name and version of the service in its own words."""
    try:
        found = context.call_with(get("settings"), None).object()
    except DeviationError:
        return ""
    return cleaned(
        " ".join(str(found[name]) for name in ("name", "server_version", "version_full") if name in found)
    )


def _password(given: argparse.Namespace) -> str:
    """The password. Raises CannotRunError."""
    if given.password_file is not None:
        try:
            with given.password_file.open(encoding="utf-8") as file:
                password = file.readline()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise CannotRunError(f"The password in {given.password_file} cannot be read: {reason}.") from None
    elif given.password_stdin:
        password = sys.stdin.readline()
    elif sys.stdin.isatty():
        password = getpass.getpass(f"Password of {given.login}: ")
    else:
        raise CannotRunError(
            "There is no terminal to ask for the password at; use --password-stdin or --password-file."
        )
    password = str(password).rstrip("\r\n")
    if not password:
        raise CannotRunError("The password is empty.")
    return password


def _check_folder(file: Path | None) -> None:
    """Finds out before the checks run that a report cannot be written. Raises CannotRunError."""
    if file is not None and not file.absolute().parent.is_dir():
        raise CannotRunError(f"There is no folder {file.parent} for {file.name}.")


def _write(file: Path | None, content: bytes) -> None:
    if file is None:
        return
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CannotRunError(f"The report {file} cannot be written: {error.strerror}.") from None


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

    def _delete_inserted(self) -> None:
        for event_id in sorted(self._inserted):
            succeed(self.call(Request("DELETE", f"event/{event_id}")))

    def _sign_out(self) -> None:
        self._revoke(self.token)
