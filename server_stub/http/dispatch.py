"""One request from its endpoint to its response: token, right, parameters, handler, errors (wire §1)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import NoReturn

from msgspec.structs import replace
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.responses import Response

from server_stub.accounts import Session, allows
from server_stub.database import NoStandbyError
from server_stub.database.sqlite import NEARLY_FULL
from server_stub.foundation.errors import ApiError, ContractError, ServerError, UserError
from server_stub.foundation.masking import hide_secrets, mask_secrets
from server_stub.http.dialect import Dialect
from server_stub.http.endpoint import MAX_BODY_BYTES, Access, Call, Endpoint, Workload
from server_stub.http.parameters import read_path, read_query
from server_stub.http.requests import MAX_FORM_BYTES, REQUEST_ID, ApiRequest, logged_as
from server_stub.http.responses import Answer, build_response
from server_stub.http.services import Services

log = logging.getLogger(__name__)


_AWAY = "The database does not answer: nothing was changed. It may be switching to another server; try again."
_BUSY = "The database is busy with other changes: nothing was changed. Try again."
_RETRY_AFTER = "1"  # seconds
# How long a read waits for a standby that replays what it has, and between two looks.
_STANDBY_SECONDS = 1.5
_LOOK_SECONDS = 0.05


class Dispatch:
    """A request on its way to the endpoint of its method among those at its path.

    Where there are none, `whole_path` is the path of a call whose last part is missing (§7.2).
    """

    def __init__(
        self,
        services: Services,
        dialect: Dialect,
        methods: Mapping[str, Endpoint],
        request: ApiRequest,
        whole_path: str | None = None,
    ) -> None:
        self._dialect = dialect
        self._services = services
        self._methods = methods
        self._whole_path = whole_path
        self._request = request
        self._session: Session | None = None
        # HEAD is answered like GET; uvicorn leaves out the body.
        self.endpoint = methods.get("GET" if request.method == "HEAD" else request.method)

    @property
    def body_limit(self) -> int:
        """How many bytes the body may have; calls that take none ignore it up to here."""
        limit = self.endpoint.max_body_bytes if self.endpoint else MAX_BODY_BYTES
        return min(limit, MAX_FORM_BYTES) if self._request.is_form else limit

    @property
    def workload(self) -> Workload:
        """How much work it is to answer."""
        if self.endpoint is None:
            return Workload.READ
        for name, value in self._request.arguments if self.endpoint.workload_by_format else ():
            if name == "format" and value in self.endpoint.workload_by_format:
                return self.endpoint.workload_by_format[value]
        return self.endpoint.workload

    def respond(self) -> Response:
        """Answers the request; every failure becomes an error object (§1)."""
        return self._response(self._handled_with_repeats)

    def refuse(self, error: ContractError) -> Response:
        """Answers with an error without further checks of the request."""
        return self._response(lambda: self._error_answer(error))

    def refuse_body(self) -> Response:
        """Answers a request whose body is larger than `body_limit`, unless something else is wrong first."""
        self._request.forget_content()
        return self._response(self._body_refused)

    def refuse_access(self) -> Response | None:
        """Answers a request without a valid token or the required right; returns None if it has both."""
        with hide_secrets(*self._request.secrets), logged_as(self._request.id):
            try:
                self._check_access()
            except Exception as error:  # noqa: BLE001 - every failure becomes an error object (§1)
                refused = self._error_answer(error)
            else:
                return None
        return self._response(lambda: refused)

    def _response(self, make_answer: Callable[[], Answer]) -> Response:
        began, request = time.perf_counter(), self._request
        with hide_secrets(*request.secrets), logged_as(request.id):
            try:
                answer = make_answer()
            except Exception as error:  # noqa: BLE001 - as above
                answer = self._error_answer(error)
            with self._services.database.hurried():
                headers = {**self._dialect.headers(self._services), REQUEST_ID: request.id}
            response = build_response(answer, headers, pretty=self._dialect.indents and request.is_pretty)
            self._log(answer.status, time.perf_counter() - began)
        return response

    @property
    def _uses_reserve(self) -> bool:
        return self.endpoint is not None and self.endpoint.uses_reserve

    def _handled_with_repeats(self) -> Answer:
        """Handles the request again after errors of the database that leave nothing done."""
        database = self._services.database
        is_get = self.endpoint is not None and self.endpoint.method == "GET"
        if is_get and database.standbys is not None and (answer := self._answer_soon()) is not None:
            return answer
        try:
            return self._handled_unless_lost()
        except DBAPIError as error:
            if is_get and database.is_away(error) and (answer := self._answer_of_standby()) is not None:
                return answer
            space = database.disk_space
            if space is None or not space.make_room(error, use_reserve=self._uses_reserve):
                raise
        try:
            return self._handled()
        finally:
            space.restore()

    def _answer_soon(self) -> Answer | None:
        """What the database answers, or a standby where the database is silent."""
        database = self._services.database
        with database.hurried():
            if not database.is_silent:
                with suppress(DBAPIError):
                    return self._handled()
            until = time.monotonic() + _STANDBY_SECONDS
            while database.is_silent:
                if (answer := self._answer_of_standby()) is not None or time.monotonic() > until:
                    return answer
                time.sleep(_LOOK_SECONDS)
        return None

    def _answer_of_standby(self) -> Answer | None:
        """What a standby answers while there is no primary.

        A refusal is none: a session may have begun later than what the standby has.
        """
        with suppress(NoStandbyError, DBAPIError, UserError), self._services.database.read_instead():
            return self._handled()
        return None

    def _handled_unless_lost(self) -> Answer:
        repeats = 0
        while True:
            try:
                return self._handled()
            except DBAPIError as error:
                only_reads = self.endpoint is not None and self.endpoint.method == "GET"
                if repeats >= self._services.database.repeats(error, only_reads=only_reads):
                    raise
            repeats += 1

    def _handled(self) -> Answer:
        request, endpoint = self._request, self._check_access()
        space = self._services.database.disk_space
        if (
            space is not None
            and endpoint.method != "GET"
            and not endpoint.uses_reserve
            and space.state().is_low
        ):
            raise ServerError("database", NEARLY_FULL)
        path = read_path(endpoint.path_parameters, request.path_params)
        # A deletion by ids refuses all parameters itself (§4.5).
        is_by_ids = endpoint.method == "DELETE" and endpoint.body is not None and request.has_content
        given = () if is_by_ids else request.arguments
        query = read_query(endpoint.parameters, given, allows_unknown=endpoint.allows_unknown)
        return endpoint.handler(Call(self._services, request, path, query, self._session))

    def _body_refused(self) -> NoReturn:
        if self._request.token is not None or not self._request.is_form:  # The token may be in the form.
            self._check_access()
        elif self.endpoint is None:
            self._no_endpoint()
        raise ApiError("invalid_content", f"The body is larger than {self.body_limit} bytes.")

    # Who may make the call (wire §1: order of checks)

    def _check_access(self) -> Endpoint:
        """Finds endpoint and session, and prolongs the life of the session.

        Raises ApiError if there is no such call, and UserError not_authenticated, session_not_found,
        session_invalid or no_system_right.
        """
        endpoint = self.endpoint or self._no_endpoint()
        session = self._session = self._find_session(endpoint)
        if session is None:
            return endpoint
        if endpoint.access is Access.SIGNED_IN and session.user is None:
            raise UserError("not_authenticated", status=endpoint.refusal_status)
        right = endpoint.right
        if right is not None and (session.user is None or not allows(session.user.rights, right)):
            raise UserError("no_system_right", status=endpoint.refusal_status, right=right)
        if endpoint.prolongs_session:
            self._services.sessions.touch(session)
        return endpoint

    def _find_session(self, endpoint: Endpoint) -> Session | None:
        token = self._request.token
        if endpoint.access is Access.PUBLIC or (token is None and endpoint.access is Access.ANYBODY):
            return None
        if token is None:
            raise UserError("not_authenticated", status=endpoint.refusal_status)
        try:
            with self._services.database.reader() as reader:
                return self._services.sessions.find(reader, token)
        except UserError as error:
            error.status = endpoint.refusal_status
            raise

    def _no_endpoint(self) -> NoReturn:
        method, path = self._request.method, self._request.path
        if self._methods:
            known = ", ".join(self._methods)
            raise ApiError("invalid_request_method", f"{path} takes {known}, not {method}.")
        if self._whole_path is not None:
            raise ApiError(
                "positional_parameter_expected", f"{path} lacks the last part of {self._whole_path}."
            )
        raise ApiError("invalid_api", f"There is no call {method} {path}.")

    # Errors and the log

    def _error_answer(self, error: Exception) -> Answer:
        match error:
            case ContractError():
                shown = error
            case DBAPIError() if obstacle := self._services.database.write_obstacle(
                error, used_reserve=self._uses_reserve
            ):
                shown = ServerError("database", obstacle)
                shown.__cause__ = error
            case SQLAlchemyError() if reason := self._passing(error):
                shown = ServerError("database", reason)
                shown.__cause__, shown.status = error, HTTPStatus.SERVICE_UNAVAILABLE
            case SQLAlchemyError():
                shown = _server_error("database", error)
            case _:
                shown = _server_error("generic", error)
        uuid = self._report(shown) if isinstance(shown, ServerError) else None
        is_read_only = self._services.database.obstacle is not None
        answer = self._dialect.error_answer(shown, uuid, self.endpoint, is_read_only)
        if shown.status != HTTPStatus.SERVICE_UNAVAILABLE:
            return answer
        return replace(answer, headers={**answer.headers, "retry-after": _RETRY_AFTER})

    def _passing(self, error: SQLAlchemyError) -> str | None:
        """Why the call failed, in words, if it may succeed when it is repeated."""
        database = self._services.database
        if database.is_busy(error):
            return _BUSY
        return _AWAY if isinstance(error, DBAPIError) and database.is_away(error) else None

    def _report(self, error: ServerError) -> str | None:
        request = self._request
        names = [name for name, _ in request.arguments]
        return self._services.error_reports.keep(error, request.method, request.path, names, self._session)

    def _log(self, status: int, seconds: float) -> None:
        """Logs the answer without the query, which may hold secrets; of the session its public reference."""
        if not log.isEnabledFor(logging.INFO):
            return
        fields = {
            "method": self._request.method,
            "path": self._request.path,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "session": self._session.reference if self._session else None,
        }
        log.info("answered", extra={"fields": fields})


def _server_error(name: str, error: Exception) -> ServerError:
    wrapped = ServerError(name, mask_secrets(f"{type(error).__name__}: {error}".partition("\n")[0]))
    wrapped.__cause__ = error
    return wrapped
