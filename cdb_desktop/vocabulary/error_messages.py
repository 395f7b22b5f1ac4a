"""Messages for errors: what happened, what it means and what to do, in the language in use.

The texts are in ``resources``: ``errors.json`` for codes of the service,
``faults.json`` for errors of the network and of this program, ``reasons.json`` for what is wrong with an
address or an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import (
    AddressProblem,
    AnswerError,
    AnswerProblem,
    CertificateError,
    ClientCertificateError,
    ClientError,
    Event,
    GatewayError,
    NetworkOptionsError,
    NotReadyError,
    ProxyLoginError,
    ServerError,
    ServiceError,
    SignInError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
)
from cdb_desktop.client.redaction import redact, redact_unforeseen
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.errors import FaultError
from cdb_desktop.foundation.i18n import Language, language, number_text

_Texts = Mapping[str, str]
_Entry = dict[str, str | int]

_GENERIC = "error.api.generic"  # only its description has information
_FOOTER = "\n\nPackage: "  # of the text of an error: what follows is for the maker of the service
_METHODS = {"ntlm": "NTLM"}  # authentication methods that are not capitalized like a name


class ErrorMessage(msgspec.Struct, frozen=True):
    """The message for an error.

    ``code`` is that of the service, empty for network errors. ``fault`` is the name in ``faults.json``, empty
    for errors that are not listed there. ``details`` is everything that is known
    about the error, a line each and without secrets. An ``unforeseen`` error is a defect of this program.
    """

    title: str
    text: str
    remedy: str
    code: str = ""
    details: str = ""
    unforeseen: bool = False
    fault: str = ""


def error_message(error: BaseException) -> ErrorMessage:
    """The message for ``error``; a code that is not in the catalogue is shown unchanged (§7)."""
    message = _message(error)
    return replace(message, details="\n".join((message.title, *error_details(error))))


def fault_message(name: str, parameters: _Texts | None = None, code: str = "") -> ErrorMessage:
    """The message of the entry ``name`` of ``faults.json``, such as ``unreachable.refused``."""
    return replace(_filled(_faults()[name][language()], parameters or {}, code), fault=name)


def problem_text(
    problem: AddressProblem | AnswerProblem, value: str = "", lang: Language | None = None
) -> str:
    """What is wrong with an address or an answer, as a part of a sentence."""
    return _problems()[problem][lang or language()].format(value=value)


def error_details(error: BaseException) -> tuple[str, ...]:
    """``name: value`` for everything that is known about ``error``, in English and without secrets."""
    if isinstance(error, ServiceError):
        found = _service_details(error)
    elif isinstance(error, UnreachableError):
        found = _network_details(error)
    elif isinstance(error, NetworkOptionsError):
        found = {"option": error.option, "problem": error.problem, "file": error.file}
    elif isinstance(error, SlowAnswerError):
        found = {"seconds": f"{error.seconds:g}"}
    elif isinstance(error, AnswerError):
        found = _answer_details(error)
    else:
        found = {type(error).__name__: redact_unforeseen(str(error))}
    if isinstance(error, ClientError) and error.retry_after:
        found["retry after"] = f"{error.retry_after:g} s"
    if isinstance(error, ClientError):
        found["request id"] = error.request_id
    return tuple(redact(f"{name}: {value}") for name, value in found.items() if value)


def _message(error: BaseException) -> ErrorMessage:
    if isinstance(error, ServiceError):
        return _service_message(error)
    if isinstance(error, UnreachableError | NetworkOptionsError):
        return _network_message(error)
    if isinstance(error, SlowAnswerError):
        decimals = len(f"{error.seconds:g}".partition(".")[2])
        return fault_message("slow", {"seconds": number_text(error.seconds, decimals)})
    if isinstance(error, AnswerError):
        return _answer_message(error)
    if isinstance(error, FaultError):
        return fault_message(error.fault, error.parameters)
    # Its text may hold secrets. The entry ends the sentence itself.
    reason = {"reason": redact_unforeseen(f"{type(error).__name__}: {error}".rstrip(": ."))}
    return replace(fault_message("program", reason), unforeseen=True)


def _answer_message(error: AnswerError) -> ErrorMessage:
    if isinstance(error, TooLargeError):
        return fault_message("too_large", {"megabytes": error.value})
    reason = {"reason": problem_text(error.problem, error.value)}
    return _status_message(error.status) or fault_message("answer", reason)


def _network_message(error: UnreachableError | NetworkOptionsError) -> ErrorMessage:
    match error:
        case ProxyLoginError():
            name = "refused" if error.is_refused else "login"
            methods = ", ".join(_METHODS.get(one, one.capitalize()) for one in error.methods)
            values = {"proxy": error.proxy, "methods": methods}
            return fault_message(f"proxy.{name if error.is_possible else 'method'}", values)
        case CertificateError():
            return fault_message(f"certificate.{error.problem}", {"host": error.host, "reason": error.reason})
        case ClientCertificateError():
            return fault_message(f"client_certificate.{'refused' if error.is_refused else 'required'}")
        case NetworkOptionsError():
            file = {"file": PurePath(error.file).name}
            return fault_message(f"network.{error.option}.{error.problem}", file)
        case GatewayError():
            return _gateway_message(error)
    name = "http.429" if error.kind == "busy" else f"unreachable.{error.kind}"
    return fault_message(
        name, {"reason": problem_text(error.address_problem) if error.address_problem else error.reason}
    )


def _gateway_message(error: GatewayError) -> ErrorMessage:
    if isinstance(error, NotReadyError):
        return fault_message(f"not_ready.{error.state}")
    return _status_message(error.status) or fault_message("unreachable.gateway", {"reason": error.reason})


def _service_message(error: ServiceError) -> ErrorMessage:
    if isinstance(error, SignInError):
        values = {"code": error.code, "description": error.description, **error.parameters}
        return fault_message(f"sign_in.{error.problem}", values)
    if isinstance(error, ServerError) and error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return fault_message("not_ready.database")
    entry = find_entry(error.code)
    if entry is None:
        code = error.code or f"HTTP {error.status}"
        by_status = None if error.code else _status_message(error.status)
        return by_status or fault_message("service", {"code": code, "description": error.description}, code)
    message = _filled(msgspec.structs.asdict(entry.explanation), parameter_texts(error), entry.code)
    if error.code == _GENERIC and error.description:
        description = f"„{error.description}“" if language() == "de" else f"“{error.description}”"
        return replace(message, text=f"{message.text} {description}")
    return message


def parameter_texts(error: ServiceError) -> dict[str, str]:
    """The values of the placeholders in the texts for a code, as they are shown."""
    values = {name: _parameter_text(value) for name, value in error.parameters.items()}
    reason = values.get("msg") or error.description  # of "ServerGeneric"
    return values | {"msg": reason.rstrip(".")} if reason else values


def _parameter_text(value: str) -> str:
    """The value of a parameter as it is shown: the entries of a list one after the other, without marks."""
    try:
        found = msgspec.json.decode(value, type=list[str | int | _Entry] | dict[str, str | int | _Entry])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return value
    entries = list(map(_entry_text, found))
    if isinstance(found, dict):
        entries = [f"{name}: {_entry_text(one)}" for name, one in found.items()]
    return ", ".join(entries)


def _entry_text(entry: str | int | _Entry) -> str:
    """An entry of a list; the values of an object after one another, such as a table and how many it has."""
    return ": ".join(map(str, entry.values())) if isinstance(entry, dict) else str(entry)


def _status_message(status: int) -> ErrorMessage | None:
    """The message for an HTTP status without an error object; None if it has no specific one."""
    name = f"http.{status}"
    return fault_message(name) if name in _faults() else None


def _filled(texts: _Texts, parameters: _Texts, code: str) -> ErrorMessage:
    values = _Parameters(parameters)
    title, text, remedy = (texts[part].format_map(values).strip() for part in ("title", "text", "remedy"))
    return ErrorMessage(title, text, remedy, code)


class _Parameters(dict[str, str]):
    """Parameters that the service has not sent are empty."""

    def __missing__(self, key: str) -> str:
        return ""


def _network_details(error: UnreachableError) -> dict[str, str]:
    reason = problem_text(error.address_problem, lang="en") if error.address_problem else error.reason
    found = {"unreachable": str(error.kind), "reason": reason}
    match error:
        case ProxyLoginError():
            found |= {"answer": error.excerpt, "proxy": error.proxy, "methods": ", ".join(error.methods)}
        case GatewayError():
            found["answer"] = error.excerpt
        case CertificateError():
            found |= {"certificate": error.problem, "host": error.host}
    return found


def _service_details(error: ServiceError) -> dict[str, str]:
    return {
        "code": error.code,
        "realm": error.realm,
        "status": str(error.status or ""),
        **{f"parameter {name}": value for name, value in error.parameters.items()},
        "description": error.description,
        "uuid": error.uuid,
    }


def _answer_details(error: AnswerError) -> dict[str, str]:
    return {
        "reason": problem_text(error.problem, error.value, "en"),
        "status": str(error.status or ""),
        "content type": error.content_type,
        "place": error.place,
        "answer": error.excerpt,
    }


@lru_cache(maxsize=1)
def _faults() -> dict[str, dict[Language, dict[str, str]]]:
    content = resource("faults.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[Language, dict[str, str]]])


@lru_cache(maxsize=1)
def _problems() -> dict[str, dict[str, str]]:
    return msgspec.json.decode(resource("reasons.json").read_bytes(), type=dict[str, dict[str, str]])


_CODE = re.compile(r"\berror(?:\.[a-z0-9_]+){1,6}")
_DEEPEST = 6  # nested lists and objects
_MOST_VALUES = 500
_LONGEST = 20_000  # characters of a text in which an error is looked for


def explained_error(event: Event) -> ErrorMessage | None:
    """The message of the first error in the info of an event, None if there is none.

    An error is an object with a known code, as a value or as JSON in a text, or such a code in a text. Short
    records have no info.
    """
    found = next(_errors(event.info_value), None) if event.info is not None else None
    return None if found is None else error_message(found)


def _errors(info: object) -> Iterator[ServiceError]:
    waiting: list[tuple[object, int]] = [(info, 0)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        value, depth = waiting.pop(0)
        found = _error_in(value)
        if found is not None:
            yield found
        if depth < _DEEPEST:
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            waiting += [(one, depth + 1) for one in list(inner)[:_MOST_VALUES]]


def _error_in(value: object) -> ServiceError | None:
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return parse_pasted_error(msgspec.json.encode(value).decode())
    if not isinstance(value, str) or "error" not in value[:_LONGEST]:
        return None
    text = value[:_LONGEST]
    found = parse_pasted_error(text)
    if found is not None:
        return found
    entries = (find_entry(code) for code in _CODE.findall(text))
    entry = next((one for one in entries if one is not None), None)
    return None if entry is None else ServiceError(entry.realm, entry.code, status=entry.status)


_WORD = re.compile(r"\S+")

_PREFIX = "error."


class Explanation(msgspec.Struct, frozen=True):
    """The texts for a code, with placeholders ``{name}`` for its parameters."""

    title: str
    text: str
    remedy: str


class CatalogueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A code of the contract (§7), or one without a realm; ``also`` are its other spellings (wire §8).

    ``kind`` is who has to act, by the names of the realms of the contract; ``origins`` are the names of what
    sends it.
    """

    code: str
    realm: str
    kind: str
    status: int
    origins: Mapping[Language, str]
    parameters: tuple[str, ...]
    explanations: Mapping[Language, Explanation]
    also: tuple[str, ...] = ()

    @property
    def explanation(self) -> Explanation:
        """The explanation in the language in use."""
        return self.explanations[language()]

    @property
    def origin(self) -> str:
        """What sends the code, in the language in use."""
        return self.origins[language()]

    def __hash__(self) -> int:
        return hash(self.code)


class _Written(msgspec.Struct):
    realm: str
    status: int
    parameters: tuple[str, ...]
    en: Explanation | None = None
    de: Explanation | None = None
    kind: str = ""
    fault: str = ""  # the entry of faults.json that explains it

    def explanations(self, code: str) -> dict[Language, Explanation]:
        """The texts in each language."""
        if self.en is not None and self.de is not None:
            return {"en": self.en, "de": self.de}
        return {
            lang: Explanation(**{name: text.replace("{code}", code) for name, text in texts.items()})
            for lang, texts in _faults()[self.fault].items()
        }


class _File(msgspec.Struct):
    aliases: dict[str, str]
    origins: dict[str, dict[Language, str]]
    errors: dict[str, _Written]
    codes: dict[str, _Written]
    oauth2: dict[str, _Written]


@lru_cache(maxsize=1)
def catalogue() -> Mapping[str, CatalogueEntry]:
    """All codes: those of the contract in its order, those without a realm, and those of OAuth 2.0."""
    file = msgspec.json.decode(resource("errors.json").read_bytes(), type=_File)
    also: dict[str, tuple[str, ...]] = {}
    for spelling, code in file.aliases.items():
        also[code] = (*also.get(code, ()), spelling)
    return {
        code: CatalogueEntry(
            code=code,
            realm=found.realm,
            kind=found.kind or found.realm,
            status=found.status,
            origins=file.origins[part],
            parameters=found.parameters,
            explanations=found.explanations(code),
            also=also.get(code, ()),
        )
        for part in ("errors", "codes", "oauth2")
        for code, found in getattr(file, part).items()
    }


def find_entry(code: str) -> CatalogueEntry | None:
    """The entry of a code in any spelling, with or without ``error.``, or None."""
    spelled, known = code.strip().casefold(), _spellings()
    return known.get(spelled) or known.get(f"error.{spelled}")


@lru_cache(maxsize=1)
def _spellings() -> Mapping[str, CatalogueEntry]:
    return {name.casefold(): one for one in catalogue().values() for name in (one.code, *one.also)}


def search_entries(wanted: str) -> tuple[CatalogueEntry, ...]:
    """The entries that contain every word of ``wanted``; matches in code or title come first."""
    words = _WORD.findall(wanted.casefold())
    ranked = [
        (0 if _contains(_heading(entry), words) else 1, entry)
        for entry in catalogue().values()
        if _contains(_everything(entry), words)
    ]
    return tuple(entry for _rank, entry in sorted(ranked, key=lambda one: one[0]))


def _contains(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _heading(entry: CatalogueEntry) -> str:
    return " ".join((entry.code, *entry.also, entry.explanation.title)).casefold()


def _everything(entry: CatalogueEntry) -> str:
    texts = (entry.explanation.text, entry.explanation.remedy, entry.origin, str(entry.status))
    return " ".join((_heading(entry), *texts, *entry.parameters)).casefold()


def parse_pasted_error(text: str) -> ServiceError | None:
    """The error object in ``text``, at the top level or under ``error``, or None."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = msgspec.json.decode(text[start : end + 1].encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return _error(found) if isinstance(found, dict) else None


def _error(found: Mapping[str, object]) -> ServiceError | None:
    nested = found.get("error")
    if isinstance(nested, dict):
        found = {**found, **nested}
    code = _text(found.get("code")) or _text(nested)
    known = find_entry(code)
    if known is None and not code.startswith(_PREFIX) and not _has_code_only(found):
        return None
    realm = _text(found.get("realm")) or (known.realm if known else "")
    texts = map(_text, map(found.get, ("description", "error_description", "error")))
    description = next((text for text in texts if text and text != code), "").partition(_FOOTER)[0]
    code, parameters = known.code if known else code, _parameters(found)
    uuid = _text(found.get("uuid")) or parameters.pop("uuid", "")
    return ServiceError(realm, code, parameters, redact(description), uuid, _status(found))


def _has_code_only(found: Mapping[str, object]) -> bool:
    """Whether it is an error with a code that has no realm, such as ``EventNotFound``."""
    return re.fullmatch("[A-Z][A-Za-z0-9]+", _text(found.get("code"))) is not None and "statuscode" in found


def _parameters(found: Mapping[str, object]) -> dict[str, str]:
    parameters = found.get("parameters")
    if not isinstance(parameters, dict):
        return {}
    return {str(name): redact(_spelled(value)) for name, value in parameters.items()}


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _status(found: Mapping[str, object]) -> int:
    value = found.get("statuscode")
    return value if isinstance(value, int) else 0


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
