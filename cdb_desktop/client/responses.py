"""Decodes responses: JSON and files (§2.3), and errors (§7) of both dialects.

The codes of one begin with ``error.``, those of the other are words such as ``EventNotFound``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from cdb_desktop.client import lenient_json
from cdb_desktop.client.errors import (
    AnswerError,
    AnswerProblem,
    ApiError,
    ClientError,
    GatewayError,
    LoginRefusedError,
    MissingRightError,
    NotFoundError,
    NotReadyError,
    ServerError,
    ServiceError,
    SessionLostError,
    UserError,
    VersionMismatchError,
)
from cdb_desktop.client.redaction import bare_url
from cdb_desktop.client.request import Response

STATE = "x-fylr-status"  # the header with the state of the service


def require_success(answer: Response) -> Response:
    """Returns ``answer`` if its status is 2xx. Raises ServiceError or AnswerError otherwise."""
    if 200 <= answer.status < 300:
        return answer
    raise failure(answer)


def json_raw(answer: Response) -> msgspec.Raw:
    """The body of a successful answer, checked to be JSON. Raises AnswerError for anything else."""
    found = lenient_json.document(require_success(answer).body)
    if found is None:
        raise answer_error(answer, "web_page_for_json" if answer.is_html else "not_json")
    return found


def json_members(answer: Response) -> lenient_json.Members:
    """The members of the JSON object in a successful answer. Raises AnswerError for anything else."""
    found = lenient_json.members(json_raw(answer))
    if found is None:
        raise answer_error(answer, "not_object")
    return found


class TaggedObject(dict[str, object]):
    """A JSON object; ``etag`` is what `If-Match` takes, empty if there is none or a proxy has weakened it."""

    etag = ""


def json_mapping(answer: Response) -> TaggedObject:
    """The JSON object in a successful answer in Python's types. Raises AnswerError for anything else."""
    found = TaggedObject((key, lenient_json.value(raw)) for key, raw in json_members(answer).items())
    tag = answer.headers.get("etag", "")
    found.etag = tag if tag.startswith('"') else ""
    return found


def count(answer: Response) -> int:
    """The ``count`` of a successful response (§4.5). Raises AnswerError if there is none."""
    found = lenient_json.value(json_members(answer).get("count"))
    if isinstance(found, int):
        return found
    raise answer_error(answer, "no_number", "count")


def file(answer: Response) -> bytes:
    """The bytes of a successful answer that is a file. Raises AnswerError for a web page or JSON instead."""
    if require_success(answer).is_html or answer.content_type == "application/json":
        raise answer_error(answer, "not_file", value=answer.content_type)
    return answer.body


def streamed(answer: Response) -> None:
    """Checks that the response is a file; its body was streamed. Raises like `file`."""
    file(answer)


def nothing(answer: Response) -> None:
    """Checks for success only; the body is not specified (§4.8)."""
    if require_success(answer).is_html:
        raise answer_error(answer, "web_page")


_REALMS: dict[str, type[ServiceError]] = {"api": ApiError, "server": ServerError, "user": UserError}
_BY_NAME: dict[str, type[UserError]] = {
    "not_authenticated": SessionLostError,
    "session_not_found": SessionLostError,
    "session_invalid": SessionLostError,
    "login_failed": LoginRefusedError,
    "login_disabled": LoginRefusedError,
    "login_disabled_from": LoginRefusedError,
    "login_disabled_to": LoginRefusedError,
    "username_or_password_empty": LoginRefusedError,
    "authentication_method_not_allowed": LoginRefusedError,
    "no_system_right": MissingRightError,
    "insufficient_rights": MissingRightError,
    "insufficient_rights_after_transition": MissingRightError,
    "version_mismatch": VersionMismatchError,
}
_BY_WORD: dict[str, type[ServiceError]] = {
    "UserRequired": SessionLostError,
    "InvalidToken": SessionLostError,
    "SystemRightRequired": MissingRightError,
    "VersionMismatch": VersionMismatchError,
    "UnknownEndpointMethod": ApiError,
    "ServerGeneric": ApiError,
    "UnknownObjecttype": NotFoundError,
}
_SIGNS_OF_6 = frozenset({"UserRequired", "InvalidToken", "UnknownEndpointMethod"})
_NOT_READY = frozenset({"startup", "busy", "purge"})
_BY_STATUS: dict[int, type[UserError]] = {401: SessionLostError, 403: MissingRightError, 404: NotFoundError}
_BY_GATEWAYS = frozenset({407, 429})  # and all from 500 on
_UNKNOWN_CALLS = frozenset({"invalid_api", "invalid_request_method", "UnknownEndpointMethod"})
_LONGEST_WAIT = 3600.0  # seconds
_CONTRACT_SPELLING = {  # wire §8
    "error.api.eas": "error.api.assetsvc",
    "error.server.eas": "error.server.assetsvc",
    "error.server.elasticsearch": "error.server.searchengine",
}


def failure(answer: Response) -> ClientError:
    """The error for a response with a status other than 2xx."""
    error = _error(answer)
    error.retry_after = retry_after(answer.headers.get("retry-after", ""))
    error.request_id = answer.clean(answer.headers.get("x-request-id", ""))
    return error


def _error(answer: Response) -> ClientError:
    state = answer.headers.get(STATE, "")
    if answer.status == 503 and state in _NOT_READY:
        return NotReadyError(state)
    found = lenient_json.members(answer.body) or {}
    nested = lenient_json.members(found.get("error"))
    found = found if nested is None else {**found, **nested}
    code = lenient_json.text(found.get("code")) or lenient_json.text(found.get("error"))
    return _from_object(answer, found, code) if code else _from_status(answer)


def is_unknown_address(error: ClientError) -> bool:
    """Whether the call is unknown to the service, rather than the requested object."""
    if isinstance(error, NotFoundError):
        return not is_word(error.code) and error.name != "error_not_found"
    if isinstance(error, ApiError):
        return error.name in _UNKNOWN_CALLS
    return isinstance(error, AnswerError)


def retry_after(text: str) -> float:
    """The seconds of a Retry-After header, which has seconds or a date: from 0 to an hour."""
    seconds = float(text) if text.strip().isdecimal() else 0.0
    if (moment := http_date(text)) is not None:
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def http_date(text: str) -> datetime | None:
    """The time in a header, None for anything else."""
    try:
        return lenient_json.aware(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None


def _from_object(answer: Response, found: lenient_json.Members, code: str) -> ServiceError:
    code = _CONTRACT_SPELLING.get(code, code)
    realm = lenient_json.text(found.get("realm")) or _realm_of(code)
    status = _status(answer, found)
    return _class_of(realm, code, status)(
        realm,
        code,
        {key: answer.clean(value) for key, value in _parameters(found.get("parameters")).items()},
        answer.clean(lenient_json.text(found.get("description")) or _words(found)),
        lenient_json.text(found.get("uuid")),
        status,
    )


def _class_of(realm: str, code: str, status: int) -> type[ServiceError]:
    if is_word(code):
        return _class_of_word(code, status)
    name = code.removeprefix(f"error.{realm}.")
    if realm == "user" and name in _BY_NAME:
        return _BY_NAME[name]
    if status == 404 or (realm == "user" and name.endswith("_not_found")):
        return NotFoundError
    return _REALMS.get(realm, ServiceError)


def is_word(code: str) -> bool:
    """Whether the code may be one of generation 6, such as ``EventNotFound``."""
    return code[:1].isupper() and code.isalnum()


def generation_of(code: str) -> int | None:
    """The generation of the service that a code is a sure sign of; other words may be of a gateway."""
    if code in _SIGNS_OF_6:
        return 6
    return 5 if code.startswith("error.") else None


def _class_of_word(code: str, status: int) -> type[ServiceError]:
    if status >= 500:
        return ServerError
    if code in _BY_WORD:
        return _BY_WORD[code]
    if code.endswith("InsufficientRights") or status == 403:
        return MissingRightError
    if code.endswith("NotFound") or status == 404:
        return NotFoundError
    return SessionLostError if status == 401 else UserError


def _words(found: lenient_json.Members) -> str:
    """The text of an error object with a code beside it."""
    return lenient_json.text(found.get("error")) if "code" in found else ""


def _from_status(answer: Response) -> ClientError:
    kind = _BY_STATUS.get(answer.status)
    if kind is not None and not (answer.status == 404 and answer.is_html):
        return kind("user", "", description=answer.excerpt(), status=answer.status)
    if answer.status >= 500 or answer.status in _BY_GATEWAYS:
        return GatewayError(answer.status, excerpt=answer.excerpt())
    if 300 <= answer.status < 400:
        target = answer.clean(bare_url(answer.headers.get("location", "")))
        return answer_error(answer, "redirect", value=target or "nowhere")
    return answer_error(answer, "web_page_for_error" if answer.is_html else "no_error_object")


def answer_error(
    answer: Response, problem: AnswerProblem, place: str = "", *, value: str = ""
) -> AnswerError:
    """An AnswerError about ``answer`` with what helps to understand it."""
    return AnswerError(
        problem,
        status=answer.status,
        value=value,
        content_type=answer.content_type,
        excerpt=answer.excerpt(),
        place=place,
    )


def _realm_of(code: str) -> str:
    parts = code.split(".")
    return parts[1] if len(parts) > 2 and parts[0] == "error" else ""


def _status(answer: Response, found: lenient_json.Members) -> int:
    status = lenient_json.value(found.get("statuscode"))
    return status if isinstance(status, int) and 400 <= status < 600 else answer.status


def _parameters(raw: msgspec.Raw | None) -> dict[str, str]:
    found = lenient_json.members(raw) or {}
    return {key: lenient_json.spelled(one) for key, one in found.items()}
