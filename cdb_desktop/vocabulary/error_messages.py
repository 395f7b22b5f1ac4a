"""Messages for errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import (
    AnswerError,
    CertificateError,
    ClientCertificateError,
    ClientError,
    GatewayError,
    NetworkOptionsError,
    ProxyLoginError,
    ServiceError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
)
from cdb_desktop.client.redaction import redact, redact_unforeseen
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.foundation.resources import resource
from cdb_desktop.vocabulary.error_catalogue import find_entry

_Texts = Mapping[str, str]

_DESCRIBED = "error.api.generic"  # stands for reasons that only its description names
_METHODS = {"ntlm": "NTLM"}  # ways of signing in that are not written like a name


class ErrorMessage(msgspec.Struct, frozen=True):
    """What is said about one failure; ``code`` is the service's own, empty for faults on the way to it.

    ``details`` is all that is known about it, a line each, to be copied; it holds no secrets. ``unforeseen``:
    it is a defect of this program, which is worth a problem report.
    """

    title: str
    text: str
    remedy: str
    code: str = ""
    details: str = ""
    unforeseen: bool = False


DescribeError = Callable[[BaseException], ErrorMessage]


def error_message(error: BaseException, language: Language = "en") -> ErrorMessage:
    """The words for ``error``; a code of the service that is not in the catalogue is shown as it is (§7)."""
    said = _said(error, language)
    return replace(said, details="\n".join((said.title, *error_details(error))))


def _said(error: BaseException, language: Language) -> ErrorMessage:
    if isinstance(error, ServiceError):
        return _of_service(error, language)
    if isinstance(error, UnreachableError | NetworkOptionsError):
        return _of_network(error, language)
    if isinstance(error, SlowAnswerError):
        return fault_message("slow", language, {"seconds": _decimal(error.seconds, language)})
    if isinstance(error, AnswerError):
        return _of_answer(error, language)
    # Nobody knows what the text of an unforeseen exception holds. The catalogue ends the sentence itself.
    said = redact_unforeseen(f"{type(error).__name__}: {error}".rstrip(": ."))
    return replace(fault_message("program", language, {"reason": said}), unforeseen=True)


def _of_network(error: UnreachableError | NetworkOptionsError, language: Language) -> ErrorMessage:
    """What stands in the way to the service."""
    match error:
        case ProxyLoginError():
            name = "refused" if error.is_refused else "login"
            told = {
                "proxy": error.proxy,
                "methods": ", ".join(_METHODS.get(one, one.capitalize()) for one in error.methods),
            }
            return fault_message(f"proxy.{name if error.is_possible else 'method'}", language, told)
        case CertificateError():
            return fault_message(
                f"certificate.{error.problem}", language, {"host": error.host, "reason": error.reason}
            )
        case ClientCertificateError():
            return fault_message(
                f"client_certificate.{'refused' if error.is_refused else 'required'}", language, {}
            )
        case NetworkOptionsError():
            file = {"file": PurePath(error.file).name}
            return fault_message(f"network.{error.option}.{error.problem}", language, file)
        case GatewayError():
            reason = {"reason": error.reason}
            return _plain(error.status, language) or fault_message("unreachable.gateway", language, reason)
    reason = {"reason": reason_in(language, error.reason)}
    name = "http.429" if error.kind == "busy" else f"unreachable.{error.kind}"
    return fault_message(name, language, reason)


def _of_answer(error: AnswerError, language: Language) -> ErrorMessage:
    if isinstance(error, TooLargeError):
        return fault_message("too_large", language, {"megabytes": str(error.largest // 2**20)})
    reason = {"reason": reason_in(language, error.reason)}
    return _plain(error.status, language) or fault_message("answer", language, reason)


def _of_service(error: ServiceError, language: Language) -> ErrorMessage:
    known = find_entry(error.code)
    if known is None:
        code = error.code or f"HTTP {error.status}"
        plain = None if error.code else _plain(error.status, language)
        told = {"code": code, "description": error.description}
        return plain or fault_message("service", language, told, code)
    said = _filled(msgspec.structs.asdict(known.words[language]), error.parameters, error.code)
    if error.code == _DESCRIBED and error.description:
        description = f"“{error.description}”" if language == "en" else f"„{error.description}“"
        return replace(said, text=f"{said.text} {description}")
    return said


def _decimal(value: float, language: Language) -> str:
    shown = f"{value:g}"
    return shown.replace(".", ",") if language == "de" else shown


def _plain(status: int, language: Language) -> ErrorMessage | None:
    """The words for a status of HTTP that came without an error object; None where it has none of its own."""
    name = f"http.{status}"
    return fault_message(name, language, {}) if name in _faults() else None


def fault_message(name: str, language: Language, parameters: _Texts, code: str = "") -> ErrorMessage:
    """The words for a fault of this program's own catalogue, such as ``unreachable.refused``."""
    return _filled(_faults()[name][language], parameters, code)


def _filled(texts: _Texts, parameters: _Texts, code: str) -> ErrorMessage:
    # Parameters may be missing or new in an answer: what is not there stays empty.
    values = _Lenient(parameters)
    told = {part: texts[part].format_map(values).strip() for part in ("title", "text", "remedy")}
    return ErrorMessage(told["title"], told["text"], told["remedy"], code)


class _Lenient(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


@lru_cache(maxsize=1)
def _faults() -> dict[str, dict[str, dict[str, str]]]:
    return msgspec.json.decode(
        resource("faults.json").read_bytes(), type=dict[str, dict[str, dict[str, str]]]
    )


def error_details(error: BaseException) -> tuple[str, ...]:
    """``name: value`` for everything that the failure tells."""
    if isinstance(error, ServiceError):
        told = _of_service_details(error)
    elif isinstance(error, UnreachableError):
        told = {"unreachable": error.kind, "reason": error.reason}
        if isinstance(error, GatewayError):
            told["answer"] = error.excerpt
        if isinstance(error, ProxyLoginError):
            told |= {"proxy": error.proxy, "methods": ", ".join(error.methods)}
        if isinstance(error, CertificateError):
            told |= {"certificate": error.problem, "host": error.host}
    elif isinstance(error, NetworkOptionsError):
        told = {"option": error.option, "problem": error.problem, "file": error.file}
    elif isinstance(error, SlowAnswerError):
        told = {"seconds": f"{error.seconds:g}"}
    elif isinstance(error, AnswerError):
        told = _of_answer_details(error)
    else:
        told = {type(error).__name__: redact_unforeseen(str(error))}
    if isinstance(error, ClientError) and error.retry_after:
        told["retry after"] = f"{error.retry_after:g} s"
    return tuple(redact(f"{name}: {value}") for name, value in told.items() if value)


def _of_service_details(error: ServiceError) -> dict[str, str]:
    return {
        "code": error.code,
        "realm": error.realm,
        "status": str(error.status or ""),
        **{f"parameter {name}": value for name, value in error.parameters.items()},
        "description": error.description,
        "uuid": error.uuid,
    }


def _of_answer_details(error: AnswerError) -> dict[str, str]:
    return {
        "reason": error.reason,
        "status": str(error.status or ""),
        "content type": error.content_type,
        "place": error.place,
        "answer": error.excerpt,
    }


_HOLE = "%1"


def reason_in(language: Language, reason: str) -> str:
    """``reason`` as it is said in ``language``; what is not known stays as it is."""
    if language == "en":
        return reason
    for known, told in _german().items():
        before, hole, after = known.partition(_HOLE)
        if reason == known:
            return told
        if hole and reason.startswith(before) and reason.endswith(after):
            return told.replace(_HOLE, reason.removeprefix(before).removesuffix(after))
    return reason


@lru_cache(maxsize=1)
def _german() -> dict[str, str]:
    return msgspec.json.decode(resource("reasons.json").read_bytes(), type=dict[str, str])
