"""Who may make a call: the token, then the right (wire §1: order of checks); knows no parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts import Session, allows
from server_stub.foundation.errors import ApiError, ContractError, ServerError, UserError
from server_stub.foundation.masking import mask_secrets
from server_stub.http.calls import Answer, Call, Incoming, Services
from server_stub.http.endpoint import Access, Endpoint
from server_stub.http.parameters import read_path, read_query
from server_stub.http.requests import is_form
from server_stub.http.routes import completed


def session_of(services: Services, endpoint: Endpoint, incoming: Incoming) -> Session | None:
    """The session of the token, None where there is no token and none is needed.

    Raises UserError not_authenticated, session_not_found or session_invalid.
    """
    if incoming.token is None:
        if endpoint.access is Access.ANYBODY:
            return None
        raise UserError("not_authenticated", status=endpoint.refusal_status)
    try:
        with services.database.reading() as reader:
            return services.sessions.find(reader, incoming.token)
    except UserError as error:
        error.status = endpoint.refusal_status
        raise


def admit(services: Services, endpoint: Endpoint, found: Session | None) -> None:
    """Lets a session make a call, which prolongs its life; UserError not_authenticated or no_system_right."""
    if found is None:
        return
    if endpoint.access is Access.SIGNED_IN and found.user is None:
        raise UserError("not_authenticated", status=endpoint.refusal_status)
    if endpoint.right is not None and (found.user is None or not allows(found.user.rights, endpoint.right)):
        raise UserError("no_system_right", status=endpoint.refusal_status, right=endpoint.right)
    if not endpoint.path.startswith("/event/poll"):
        services.sessions.touch(found)  # polling does not keep a session alive (wire §2)


@dataclass
class Dispatch:
    """One call being handled; `found` is its session as soon as it is known.

    `most_bytes` is given where the body is larger than that and was not read.
    """

    services: Services
    methods: Mapping[str, Endpoint]
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
        uuid = self._kept(told) if isinstance(told, ServerError) else None
        return Answer(msgspec.json.encode(told.to_object(uuid)), status=told.status)

    def _kept(self, error: ServerError) -> str | None:
        incoming, found = self.incoming, self.found
        names = [name for name, _ in incoming.query]
        reference = found.reference if found else None
        return self.services.error_reports.keep(error, incoming.method, incoming.path, names, reference)

    def _admitted(self) -> Endpoint:
        """The endpoint, once token and right are good."""
        endpoint, incoming = self._route(), self.incoming
        if self.most_bytes is not None and incoming.token is None and is_form(incoming.content_type):
            self._refuse_the_body()  # The token may stand in it.
        self.found = session_of(self.services, endpoint, incoming)
        admit(self.services, endpoint, self.found)
        return endpoint

    def _handled(self) -> Answer:
        incoming, endpoint = self.incoming, self._admitted()
        if self.most_bytes is not None:
            self._refuse_the_body()
        path = read_path(endpoint.path_parameters, self.path)
        query = read_query(
            endpoint.parameters, _checked_here(endpoint, incoming), allows_unknown=endpoint.allows_unknown
        )
        return endpoint.handler(Call(self.services, incoming, path, query, self.found))

    def _refuse_the_body(self) -> NoReturn:
        raise ApiError("invalid_content", f"The body is larger than {self.most_bytes} bytes.")

    def _route(self) -> Endpoint:
        method, path = self.incoming.method, self.incoming.path
        if method in self.methods:
            return self.methods[method]
        if self.methods:
            known = ", ".join(self.methods)
            raise ApiError("invalid_request_method", f"{path} takes {known}, not {method}.")
        if (whole := completed(path)) is not None:
            raise ApiError("positional_parameter_expected", f"{path} lacks the last part of {whole}.")
        raise ApiError("invalid_api", f"There is no call {method} {path}.")


def _checked_here(endpoint: Endpoint, incoming: Incoming) -> tuple[tuple[str, str], ...]:
    """The query; a deletion by ids refuses all of it by itself (§4.5)."""
    by_ids = endpoint.method == "DELETE" and incoming.body.strip()
    return () if by_ids else incoming.query


def _as_server_error(name: str, error: Exception) -> ServerError:
    wrapped = ServerError(name, mask_secrets(f"{type(error).__name__}: {error}".partition("\n")[0]))
    wrapped.__cause__ = error
    return wrapped
