"""Turns whatever a call raised into what happened, what it means and what to do, in English or German."""

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
    GatewayError,
    NetworkOptionsError,
    ProxyLoginError,
    ServiceError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
)
from cdb_desktop.client.redaction import redact_unforeseen
from cdb_desktop.foundation.resources import resource
from cdb_desktop.vocabulary.catalogue import Language, entry_of
from cdb_desktop.vocabulary.details import details_of
from cdb_desktop.vocabulary.reasons import reason_in

__all__ = ["Language", "Sentence", "fault", "sentence"]

_Texts = Mapping[str, str]

_DESCRIBED = "error.api.generic"  # stands for reasons that only its description names
_METHODS = {"ntlm": "NTLM"}  # ways of signing in that are not written like a name


class Sentence(msgspec.Struct, frozen=True):
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


Words = Callable[[BaseException], Sentence]


def sentence(error: BaseException, language: Language = "en") -> Sentence:
    """The words for ``error``; a code of the service that is not in the catalogue is shown as it is (§7)."""
    said = _said(error, language)
    return replace(said, details="\n".join((said.title, *details_of(error))))


def _said(error: BaseException, language: Language) -> Sentence:
    if isinstance(error, ServiceError):
        return _of_service(error, language)
    if isinstance(error, UnreachableError | NetworkOptionsError):
        return _of_network(error, language)
    if isinstance(error, SlowAnswerError):
        return fault("slow", language, {"seconds": _decimal(error.seconds, language)})
    if isinstance(error, AnswerError):
        return _of_answer(error, language)
    # Nobody knows what the text of an unforeseen exception holds. The catalogue ends the sentence itself.
    said = redact_unforeseen(f"{type(error).__name__}: {error}".rstrip(": ."))
    return replace(fault("program", language, {"reason": said}), unforeseen=True)


def _of_network(error: UnreachableError | NetworkOptionsError, language: Language) -> Sentence:
    """What stands in the way to the service."""
    match error:
        case ProxyLoginError():
            name = "refused" if error.is_refused else "login"
            told = {
                "proxy": error.proxy,
                "methods": ", ".join(_METHODS.get(one, one.capitalize()) for one in error.methods),
            }
            return fault(f"proxy.{name if error.is_possible else 'method'}", language, told)
        case CertificateError():
            return fault(
                f"certificate.{error.problem}", language, {"host": error.host, "reason": error.reason}
            )
        case ClientCertificateError():
            return fault(f"client_certificate.{'refused' if error.is_refused else 'required'}", language, {})
        case NetworkOptionsError():
            file = {"file": PurePath(error.file).name}
            return fault(f"network.{error.option}.{error.problem}", language, file)
        case GatewayError():
            reason = {"reason": error.reason}
            return _plain(error.status, language) or fault("unreachable.gateway", language, reason)
    reason = {"reason": reason_in(language, error.reason)}
    name = "http.429" if error.kind == "busy" else f"unreachable.{error.kind}"
    return fault(name, language, reason)


def _of_answer(error: AnswerError, language: Language) -> Sentence:
    if isinstance(error, TooLargeError):
        return fault("too_large", language, {"megabytes": str(error.largest // 2**20)})
    reason = {"reason": reason_in(language, error.reason)}
    return _plain(error.status, language) or fault("answer", language, reason)


def _of_service(error: ServiceError, language: Language) -> Sentence:
    known = entry_of(error.code)
    if known is None:
        code = error.code or f"HTTP {error.status}"
        plain = None if error.code else _plain(error.status, language)
        told = {"code": code, "description": error.description}
        return plain or fault("service", language, told, code)
    said = _filled(msgspec.structs.asdict(known.words[language]), error.parameters, error.code)
    if error.code == _DESCRIBED and error.description:
        description = f"“{error.description}”" if language == "en" else f"„{error.description}“"
        return replace(said, text=f"{said.text} {description}")
    return said


def _decimal(value: float, language: Language) -> str:
    shown = f"{value:g}"
    return shown.replace(".", ",") if language == "de" else shown


def _plain(status: int, language: Language) -> Sentence | None:
    """The words for a status of HTTP that came without an error object; None where it has none of its own."""
    name = f"http.{status}"
    return fault(name, language, {}) if name in _faults() else None


def fault(name: str, language: Language, parameters: _Texts, code: str = "") -> Sentence:
    """The words for a fault of this program's own catalogue, such as ``unreachable.refused``."""
    return _filled(_faults()[name][language], parameters, code)


def _filled(texts: _Texts, parameters: _Texts, code: str) -> Sentence:
    # Parameters may be missing or new in an answer: what is not there stays empty.
    values = _Lenient(parameters)
    told = {part: texts[part].format_map(values).strip() for part in ("title", "text", "remedy")}
    return Sentence(told["title"], told["text"], told["remedy"], code)


class _Lenient(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


@lru_cache(maxsize=1)
def _faults() -> dict[str, dict[str, dict[str, str]]]:
    return msgspec.json.decode(
        resource("faults.json").read_bytes(), type=dict[str, dict[str, dict[str, str]]]
    )
