"""One call from what came in to what goes back: route, session, right, parameters, handler, errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts import Session
from server_stub.api.admission import admit, session_of
from server_stub.api.bodies import is_form
from server_stub.api.call import Answer, Call, Incoming, Rooms
from server_stub.api.faults import report_fault
from server_stub.api.parameters import read_path, read_query
from server_stub.api.route import Route
from server_stub.api.table import completed
from server_stub.errors import ApiError, ContractError, ServerError
from server_stub.logs import without_secrets


@dataclass
class Handling:
    """One call being handled; `found` is its session as soon as it is known.

    `most_bytes` is given where the body is larger than that and was not read.
    """

    rooms: Rooms
    methods: Mapping[str, Route]
    incoming: Incoming
    path: Mapping[str, str]
    most_bytes: int | None = None
    found: Session | None = None

    def answer(self) -> Answer:
        """What goes back, whatever happens: an answer or an error object (§1)."""
        try:
            return self._handled()
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is answered by an error object (§1)
            return self.refused(error)

    def refusal(self) -> Answer | None:
        """What goes back before the body is read; None where token and right are good."""
        try:
            self._admitted()
        except Exception as error:  # noqa: BLE001 - as above
            return self.refused(error)
        return None

    def refused(self, error: Exception) -> Answer:
        """The error object of an error."""
        match error:
            case ContractError():
                told = error
            case SQLAlchemyError():
                told = _as_server_error("database", error)
            case _:
                told = _as_server_error("generic", error)
        uuid = (
            report_fault(self.rooms, self.incoming, self.found, told)
            if isinstance(told, ServerError)
            else None
        )
        return Answer(msgspec.json.encode(told.to_object(uuid)), status=told.status)

    def _admitted(self) -> Route:
        """The route, once token and right are good."""
        route, incoming = self._route(), self.incoming
        if self.most_bytes is not None and incoming.token is None and is_form(incoming.content_type):
            self._refuse_the_body()  # The token may stand in it.
        self.found = session_of(self.rooms, route, incoming)
        admit(self.rooms, route, self.found)
        return route

    def _handled(self) -> Answer:
        incoming, route = self.incoming, self._admitted()
        if self.most_bytes is not None:
            self._refuse_the_body()
        path = read_path(route.places, self.path)
        query = read_query(
            route.parameters, _checked_here(route, incoming), ignores_unknown=route.ignores_unknown
        )
        return route.handler(Call(self.rooms, incoming, path, query, self.found))

    def _refuse_the_body(self) -> NoReturn:
        raise ApiError("invalid_content", f"The body is larger than {self.most_bytes} bytes.")

    def _route(self) -> Route:
        method, path = self.incoming.method, self.incoming.path
        if method in self.methods:
            return self.methods[method]
        if self.methods:
            known = ", ".join(self.methods)
            raise ApiError("invalid_request_method", f"{path} takes {known}, not {method}.")
        if (whole := completed(path)) is not None:
            raise ApiError("positional_parameter_expected", f"{path} lacks the last part of {whole}.")
        raise ApiError("invalid_api", f"There is no call {method} {path}.")


def _checked_here(route: Route, incoming: Incoming) -> tuple[tuple[str, str], ...]:
    """The query; a deletion by ids refuses all of it by itself (§4.5)."""
    by_ids = route.method == "DELETE" and incoming.body.strip()
    return () if by_ids else incoming.query


def _as_server_error(name: str, error: Exception) -> ServerError:
    wrapped = ServerError(name, without_secrets(f"{type(error).__name__}: {error}".partition("\n")[0]))
    wrapped.__cause__ = error
    return wrapped
