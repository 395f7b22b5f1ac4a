"""The error objects of generation 6: those of the services in its codes, and what only it can say."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from server_stub.accounts import ROOT
from server_stub.foundation.errors import ApiError, ContractError, ServerError, UserError, catalogue
from server_stub.http.endpoint import Access, Endpoint, json_of
from server_stub.http.parameters import OBJECT, STRING, JsonSchema, either, record, ref
from server_stub.http.responses import Answer
from server_stub.http.routes.generation6.pages import refusal_page


class _Code(msgspec.Struct, frozen=True):
    """A code with its status and the part of the service that it names."""

    status: int
    package: str = "api"


CODES: Mapping[str, _Code] = {
    "UserRequired": _Code(401, "ferrors"),
    "InvalidToken": _Code(400, "ferrors"),
    "SystemRightRequired": _Code(403, "acl"),
    "UnknownEndpointMethod": _Code(400),
    "ServerGeneric": _Code(400, "ferrors"),
    "ReadOnlyMode": _Code(400, "ferrors"),
    "EventNotFound": _Code(404),
    "EventTypeNotAllowed": _Code(400, "userevent"),
    "DatamodelVersionNotFound": _Code(400, "datamodel"),
    "TypeChangeUnsupported": _Code(400, "datamodel"),
    "ObjecttypeNotEmpty": _Code(400),
    "VersionMismatch": _Code(400, "ferrors"),
    "UnknownObjecttype": _Code(400),
}
# The calls by which a client learns who it is; without a valid token they answer otherwise than the rest.
_IDENTITY = frozenset({"/user/session", "/oauth2/userinfo"})
_SESSION = frozenset({"not_authenticated", "session_invalid", "session_not_found"})
# The user errors of the services that have a code of their own, with the names of their parameters.
_TRANSLATED = {
    "event_not_found": ("EventNotFound", {"id": "event"}),
    "event_type_disabled": ("EventTypeNotAllowed", {"event_type": "type"}),
    "instance_not_found": ("DatamodelVersionNotFound", {"id": "version"}),
    "objecttype_not_found": ("UnknownObjecttype", {"id": "objecttype"}),
    "version_mismatch": ("VersionMismatch", {"provided": "provided", "expected": "expected"}),
}
_NO_CALL = ("invalid_api", "invalid_request_method", "positional_parameter_expected")


class RefusalError(ContractError):
    """An error of this generation: one of CODES, a sentence, and parameters of any type."""

    realm = "api"

    def __init__(self, code: str, text: str, /, **parameters: object) -> None:
        Exception.__init__(self, f"{code}: {text}")
        self.code = code
        self.status = CODES[code].status
        self.text = text
        self.details = parameters

    def to_object(self, uuid: str | None = None) -> dict[str, object]:
        """The error object."""
        details = self.details | ({"uuid": uuid} if uuid is not None else {})
        return {
            "code": self.code,
            "error": self.text,
            "package": CODES[self.code].package,
            "parameters": details,
            "realm": self.realm,
            "statuscode": self.status,
        }


def error_answer(
    error: ContractError, uuid: str | None, endpoint: Endpoint | None, is_read_only: bool
) -> Answer:
    """The answer for an error; those of OAuth 2.0 have the shape of RFC 6749."""
    refusal = _translated(error, endpoint, is_read_only=is_read_only)
    if error.status == 412:
        refusal.status = 412  # The condition of a header, which the interface does not have.
    if endpoint is not None and endpoint.path == "/oauth2/auth":
        return refusal_page(refusal.text, refusal.status if refusal.status >= 500 else 200)
    if endpoint is not None and endpoint.path == "/oauth2/token":
        name = "server_error" if error.status >= 500 else "invalid_request"
        value: object = {"error": name, "error_description": refusal.text}
        return Answer(msgspec.json.encode(value), status=max(400, error.status))
    return Answer(msgspec.json.encode(refusal.to_object(uuid)), status=refusal.status)


def _translated(  # noqa: PLR0911 - a table
    error: ContractError, endpoint: Endpoint | None, *, is_read_only: bool
) -> RefusalError:
    name = error.code.rpartition(".")[2]
    match error:
        case RefusalError():
            return error
        case ApiError() if name in _NO_CALL:
            return RefusalError("UnknownEndpointMethod", str(error.description))
        case UserError() if name in _SESSION:
            return _not_signed_in(endpoint)
        case UserError() if name == "no_system_right":
            rights = list(dict.fromkeys((error.parameters["right"], ROOT)))
            text = f"One of these rights is needed: {', '.join(rights)}."
            return RefusalError("SystemRightRequired", text, rights=rights)
        case UserError() if name in _TRANSLATED:
            code, names = _TRANSLATED[name]
            given = {new: error.parameters[old] for old, new in names.items()}
            return RefusalError(code, _text(error), **given)
        case ServerError() if is_read_only and name == "database":
            return RefusalError("ReadOnlyMode", _text(error), realm="api", statuscode=400)
    refusal = RefusalError("ServerGeneric", _text(error), msg=_text(error))
    if isinstance(error, ServerError):
        refusal.status = error.status
    return refusal


def _not_signed_in(endpoint: Endpoint | None) -> RefusalError:
    if endpoint is not None and endpoint.path in _IDENTITY:
        return RefusalError("InvalidToken", "The access token is missing, unknown or expired.")
    return RefusalError("UserRequired", "This call needs a valid access token.", realm="api", statuscode=401)


def _text(error: ContractError) -> str:
    if error.description is not None:
        return error.description
    text: str = catalogue()[error.code]["en"]["text"]
    told = text.format(**error.parameters)
    if told != text or not error.parameters:
        return told
    details = ", ".join(f"{name}: {value}" for name, value in error.parameters.items())
    return f"{text} ({details})"


def _component(code: str, status: JsonSchema | None = None) -> JsonSchema:
    known = CODES[code]
    return record(
        {
            "code": {"const": code},
            "error": STRING,
            "package": {"const": known.package},
            "parameters": OBJECT,
            "realm": {"const": "api"},
            "statuscode": status or {"const": known.status},
        }
    )


COMPONENTS: Mapping[str, JsonSchema] = {
    **{f"{code}Error": _component(code) for code in CODES},
    "ServerFault": _component("ServerGeneric", {"type": "integer", "minimum": 500}),
}


def failures(endpoint: Endpoint) -> dict[str, tuple[str, Mapping[str, JsonSchema]]]:
    """The error answers of a call by status; its `user_errors` are codes, any call may be malformed."""
    if endpoint.path == "/oauth2/token":
        answer = ("An error of RFC 6749.", json_of(ref("OAuthError")))
        return {"400": answer, "500": answer}
    codes = ["ServerGeneric", *(endpoint.user_errors or ())]
    if endpoint.access in {Access.SESSION, Access.SIGNED_IN}:
        codes.append("InvalidToken" if endpoint.path in _IDENTITY else "UserRequired")
    if endpoint.right is not None:
        codes.append("SystemRightRequired")
    if endpoint.method != "GET":
        codes.append("ReadOnlyMode")
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(CODES[code].status, []).append(code)
    found: dict[str, tuple[str, Mapping[str, JsonSchema]]] = {
        str(status): (", ".join(named), json_of(either(*(ref(f"{code}Error") for code in named))))
        for status, named in by_status.items()
    }
    if "If-Match" in endpoint.headers:
        found["412"] = ("HEAD is another one.", json_of(_component("VersionMismatch", {"const": 412})))
    return found | {"500": ("A fault of the server.", json_of(ref("ServerFault")))}
