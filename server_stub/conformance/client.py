"""Calls of a service that is not trusted: limited in time and size, without redirects and cookies."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, quote_plus, urlencode, urlsplit

import msgspec

from server_stub.foundation.masking import mask_secrets
from server_stub.foundation.resources import resource

if TYPE_CHECKING:
    import httpx


PREFIX = "/api/v1"
_PREFIXES = (PREFIX, "/api")
# Pages of a thousand full events and large models have some 30 MB.
MAX_BYTES = 64 << 20
_SHOWN = 200
_MASKED_BYTES = 8 << 10
_SHORTEST = 4
_HIDDEN = "…"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
# They log whole addresses, and the token is part of these.
_TALKATIVE = ("httpx", "httpcore")


class CannotRunError(Exception):
    """The checks cannot begin or go on. The message is a sentence for the caller and contains no secret."""


class DeviationError(Exception):
    """An answer differs from the interface. The message is a sentence and contains no secret."""


class NoAnswerError(DeviationError):
    """The service has not answered within the limits; `is_down` if it could not be reached at all."""

    def __init__(self, sentence: str, *, is_down: bool = False) -> None:
        super().__init__(sentence)
        self.is_down = is_down


@dataclass(frozen=True)
class Request:
    """One call of the interface; `path` is what follows the prefix, `content` overrides `json`.

    `query` is a query string that is sent as it is, before `params`. A body with a secret is left out of
    the text of a request.
    """

    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    json: Any = None
    content: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    query: str = ""
    prefix: str = PREFIX
    has_secret: bool = False

    def with_params(self, params: Iterable[tuple[str, str]]) -> Request:
        """The same call with further parameters."""
        return replace(self, params=(*self.params, *params))

    @property
    def body(self) -> bytes | None:
        """The bytes that are sent."""
        if self.content is not None or self.json is None:
            return self.content
        return msgspec.json.encode(self.json)

    def __str__(self) -> str:
        params = [pair for pair in self.params if pair[0] != "pretty"]  # it is part of every call
        query = "&".join(filter(None, (self.query, urlencode(params, safe=",:/ *'\""))))
        text = f"{self.method} {self.path}{'?' if query else ''}{query}"
        if self.body is not None and not self.has_secret:
            text += f" {self.body[:60].decode(errors='replace')}"
        return cleaned(text)


def get(path: str, **params: str) -> Request:
    """GET with query parameters."""
    return Request("GET", path, tuple(params.items()))


def post(path: str, json: Any = None, **params: str) -> Request:
    """POST with a JSON body and query parameters."""
    return Request("POST", path, tuple(params.items()), json)


@dataclass(frozen=True)
class Reply:
    """The answer to a call; names of headers are in lower case."""

    request: Request
    status: int
    reason: str
    headers: Mapping[str, str]
    content: bytes = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def media_type(self) -> str:
        """The type of the body without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text. Raises DeviationError if it is not UTF-8."""
        try:
            return self.content.decode()
        except UnicodeDecodeError:
            raise DeviationError(f"{self.request}: the answer is not UTF-8.") from None

    def json(self) -> Any:
        """The body as JSON. Raises DeviationError."""
        try:
            return msgspec.json.decode(self.content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise DeviationError(f"{self.request}: the answer is not JSON: {self}.") from None
        except RecursionError:
            raise DeviationError(f"{self.request}: the JSON of the answer is nested too deep.") from None

    def object(self) -> dict[str, Any]:
        """The body as a JSON object. Raises DeviationError."""
        value = self.json()
        if not isinstance(value, dict):
            raise DeviationError(f"{self.request}: the answer is not a JSON object: {self}.")
        return value

    def __str__(self) -> str:
        # Secrets are removed before the text is cut, since half a token would not be recognized.
        start = self.content[:_MASKED_BYTES].decode(errors="replace")
        for secret in self.secrets:
            start = start.replace(secret, _HIDDEN)
        start = mask_secrets(start)
        return f"{self.status} {self.media_type} {cleaned(start)}".rstrip()


def cleaned(text: str, most: int = _SHOWN) -> str:
    """A text of the service on one line, without control characters and with at most so many others."""
    text = _UNPRINTABLE.sub(" ", text.encode(errors="replace").decode())
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + _HIDDEN


def base_address(text: str) -> str:
    """The address of a service without the prefix of the interface. Raises CannotRunError."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise CannotRunError(f"{cleaned(text)!r} is not an address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CannotRunError(f"{cleaned(text)!r} is not an address such as https://cdb.example.org.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise CannotRunError("The address takes no user name, password, query or fragment.")
    base = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
    for prefix in _PREFIXES:
        if base.endswith(prefix):
            return base.removesuffix(prefix)
    return base


def is_loopback(base: str) -> bool:
    """Whether an address leads to this machine."""
    host = urlsplit(base).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class ServiceClient:
    """Calls one service, one call at a time.

    `seconds` is the time for a whole call, from its first byte to the last of the answer; `max_bytes` the
    size of an answer. `authority` is a file of certificates in place of the system's, `transport` another way
    to a service than the network, and calls run on the loop of `runner`. `base` is the address.
    """

    def __init__(
        self,
        base: str,
        *,
        authority: Path | None = None,
        seconds: float = 30,
        max_bytes: int = MAX_BYTES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._httpx = import_module("httpx")  # loading it takes as long as starting the server
        self.base = base
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._secrets: frozenset[str] = frozenset()
        self.runner = asyncio.Runner()
        self._client: httpx.AsyncClient = self._httpx.AsyncClient(
            verify=_tls(authority) if base.startswith("https:") else False,
            # A proxy cannot reach the loopback address of this machine.
            trust_env=not is_loopback(base),
            follow_redirects=False,
            transport=transport,
            timeout=None,  # asyncio limits the time of the whole call
            headers={"accept-encoding": "identity", "user-agent": "cdb-server conform"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.runner.run(self._client.aclose())
        self.runner.close()

    def hide(self, secret: str) -> None:
        """Leaves a secret out of every text that is made from answers.

        A shorter one would be found in words that have nothing to do with it.
        """
        if len(secret) >= _SHORTEST:
            self._secrets |= {secret, quote(secret, ""), quote(secret), quote_plus(secret)}

    def masked(self, text: str) -> str:
        """A text without the hidden secrets and without anything else that looks like a token."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return mask_secrets(text)

    def call(self, request: Request, token: str | None = None) -> Reply:
        """Makes a call, with a session token in the query. Raises NoAnswerError."""
        try:
            return self.runner.run(self._call(request, token))
        except TimeoutError:
            raise NoAnswerError(f"{request}: no complete answer within {self._seconds:g} s.") from None
        except self._httpx.ConnectError as error:
            sentence = f"The service cannot be reached: {self._reason(error)}."
            raise NoAnswerError(sentence, is_down=True) from None
        except (self._httpx.HTTPError, self._httpx.InvalidURL, OSError, ValueError) as error:
            raise NoAnswerError(f"{request}: the answer cannot be read: {self._reason(error)}.") from None

    async def _call(self, request: Request, token: str | None) -> Reply:
        headers = dict(request.headers)
        if request.json is not None and request.content is None:
            headers.setdefault("content-type", "application/json")
        async with (
            asyncio.timeout(self._seconds),
            self._client.stream(
                request.method, self._address(request, token), content=request.body, headers=headers
            ) as response,
        ):
            content = bytearray()
            async for part in response.aiter_raw():
                content += part
                if len(content) > self._max_bytes:
                    raise NoAnswerError(f"{request}: the answer has more than {self._max_bytes >> 20} MB.")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise NoAnswerError(f"{request}: the answer is compressed although nobody asked for it.")
            found = {name.lower(): value for name, value in response.headers.items()}
            # A session is a token, so cookies must not distinguish callers.
            self._client.cookies.clear()
            reason = response.reason_phrase
            return Reply(request, response.status_code, reason, found, bytes(content), self._secrets)

    def _address(self, request: Request, token: str | None) -> str:
        params = [*request.params, *([("token", token)] if token is not None else [])]
        query = "&".join(filter(None, (request.query, urlencode(params))))
        return f"{self.base}{request.prefix}/{request.path}{'?' if query else ''}{query}"

    def _reason(self, error: Exception) -> str:
        return cleaned(self.masked(str(error) or type(error).__name__)).rstrip(".")


def _tls(authority: Path | None) -> ssl.SSLContext:
    """Verifies with these certificates or those of the system. Raises CannotRunError."""
    if authority is None:
        context: ssl.SSLContext = import_module("truststore").SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return context
    try:
        return ssl.create_default_context(cafile=str(authority))
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotRunError(f"The certificates in {authority} cannot be read: {reason}.") from None


EVENT_GET = "system.api.event.get"
EVENT_DELETE = "system.api.event.delete"
NOT_ACCEPTED = "error.api.attribute_not_accepted"
NOT_FOUND = "error.user.instance_not_found"


class NotTriedError(Exception):
    """A check cannot be made with this service or this log-in. The message is the reason, a sentence."""


def expect(condition: object, sentence: str) -> None:
    """Raises DeviationError with a sentence unless a condition holds."""
    if not condition:
        raise DeviationError(sentence)


def succeed(reply: Reply) -> Reply:
    """The reply, which must be 200."""
    expect(reply.status == 200, f"{reply.request}: expected 200, the answer is {reply}.")
    return reply


def member(found: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    """A member of a JSON object. Raises DeviationError if it is missing or has another type."""
    expect(name in found, f"{where}: {name} is missing.")
    value = found[name]
    expect(type(value) is kind, f"{where}: {name} is {shown(value)}, expected {_KINDS[kind]}.")
    return value


_KINDS = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def shown(value: object) -> str:
    """A value of the service as JSON, short."""
    try:
        return cleaned(msgspec.json.encode(value).decode()[:2000])
    except (TypeError, ValueError, OverflowError, RecursionError):
        return "a value that cannot be shown"


def parse_time(text: str, where: str) -> datetime:
    """A time with its offset. Raises DeviationError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise DeviationError(f"{where}: {text[:40]!r} is not a time in ISO 8601.") from None
    expect(found.tzinfo is not None, f"{where}: the time {text!r} has no offset.")
    return found


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """The error codes of §7 and the vendor's other spellings of them."""
    found = msgspec.json.decode(resource("errors.json").read_bytes())
    errors: dict[str, Mapping[str, Any]] = found["errors"]
    return errors | {alias: errors[code] for alias, code in found["aliases"].items()}


def refuse(reply: Reply, *codes: str, status: int = 400) -> dict[str, Any]:
    """The error object of a reply (§2.3), which must have one of the codes, or else one of the realm api."""
    wanted = f"{status} {' or '.join(codes) if codes else 'an error of the realm api'}"
    expected = f"{reply.request}: expected {wanted}, the answer is {reply}."
    expect(reply.status == status, expected)
    error = reply.object()
    code = error.get("code")
    expect(isinstance(code, str) and (code in codes if codes else code.startswith("error.api.")), expected)
    entry = catalogue().get(str(code))
    if entry is None:
        raise DeviationError(f"{reply.request}: §7 has no code {shown(code)}.")
    expect(
        error.get("realm") == entry["realm"], f"{reply.request}: the realm does not fit the code: {reply}."
    )
    return error


# Patterns (the head of resources/contract.txt describes them)

Variables = MutableMapping[str, Any]
_MISSING = object()
_VARIABLE = re.compile(r"\$([a-z]\w*(?:\.\w+)*)(\+1)?")
_TYPES: dict[str, Callable[[Any], bool]] = {
    "<any>": lambda value: value is not _MISSING,
    "<none>": lambda value: value is _MISSING,
    "<text>": lambda value: isinstance(value, str),
    "<number>": lambda value: type(value) is int,
    "<bool>": lambda value: isinstance(value, bool),
    "<object>": lambda value: isinstance(value, dict),
    "<list>": lambda value: isinstance(value, list),
    "<time>": lambda value: isinstance(value, str) and parse_time(value, "the answer") is not None,
}


def variable(name: str, variables: Mapping[str, Any]) -> Any:
    """The value of a variable, or of a member in it: `a.event._id`, `a+1`."""
    name, _, more = name.removeprefix("$").partition("+")
    first, *rest = name.split(".")
    if first not in variables:
        raise NotTriedError(f"The service does not tell {first}.")
    value = variables[first]
    for part in rest:
        value = value[part]
    return value + 1 if more else value


def substituted(text: str, variables: Mapping[str, Any], written: Callable[[Any], str] = str) -> str:
    """A text with the values of its variables, each as `written` writes it."""
    return _VARIABLE.sub(lambda found: written(variable(found[0], variables)), text)


def fit(value: Any, pattern: Any, variables: Variables, where: str) -> None:
    """Compares a value of the service with a pattern. Raises DeviationError."""
    if isinstance(pattern, dict):
        _fit_object(value, pattern, variables, where)
    elif isinstance(pattern, list) and pattern[:1] in (["each"], ["some"], ["no"]):
        _fit_elements(value, pattern[0], pattern[1], variables, where)
    elif isinstance(pattern, list):
        expect(isinstance(value, list), f"{where} is {_told(value)}, expected a list.")
        expect(len(value) == len(pattern), f"{where} is {_told(value)}, expected {len(pattern)} elements.")
        for one, other in zip(value, pattern, strict=True):
            fit(one, other, variables, f"an element of {where}")
    elif isinstance(pattern, str):
        _fit_text(value, pattern, variables, where)
    else:
        expect(_same(value, pattern), f"{where} is {_told(value)}, expected {shown(pattern)}.")


def _told(value: Any) -> str:
    return "missing" if value is _MISSING else shown(value)


def _same(value: Any, other: Any) -> bool:
    """Whether two values are equal; to Python, 1 is also true."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _fit_object(value: Any, pattern: dict[str, Any], variables: Variables, where: str) -> None:
    expect(isinstance(value, dict), f"{where} is {_told(value)}, expected an object.")
    if "" in pattern:
        added = value.keys() - pattern.keys()
        expect(not added, f"{where} also has {', '.join(sorted(added))}: {shown(value)}.")
    for name, wanted in pattern.items():
        if name == "":
            continue
        found = value.get(substituted(name.removesuffix("?"), variables), _MISSING)
        if found is _MISSING and name.startswith("user"):
            found = value.get("_user", _MISSING)  # deployed services (wire §3)
        if found is not _MISSING or not name.endswith("?"):
            fit(found, wanted, variables, f"{name} of {where}")


def _fit_elements(value: Any, which: str, pattern: Any, variables: Variables, where: str) -> None:
    if value is _MISSING and which == "no":
        return
    elements = list(value.values()) if isinstance(value, dict) else value
    expect(isinstance(elements, list), f"{where} is {_told(value)}, expected a list or an object.")
    if which == "each":
        for element in elements:
            fit(element, pattern, variables, f"an element of {where}")
        return
    fitting = [element for element in elements if fits(element, pattern, variables)]
    if which == "no":
        expect(not fitting, f"{where} has {shown(fitting[:1])}.")
    else:
        expect(fitting, f"{where} has no element {shown(pattern)}.")


def fits(value: Any, pattern: Any, variables: Variables) -> bool:
    """Whether a value of the service fits a pattern."""
    try:
        fit(value, pattern, variables, "")
    except DeviationError:
        return False
    return True


def _fit_text(value: Any, pattern: str, variables: Variables, where: str) -> None:
    name = pattern.removeprefix("$").removesuffix("...")
    if pattern in _TYPES:
        fits = _TYPES[pattern](value)
    elif pattern.startswith("~"):
        expression = substituted(pattern[1:], variables, lambda found: re.escape(str(found)))
        fits = isinstance(value, str) and re.fullmatch(expression, value) is not None
    elif pattern.startswith("!"):
        fits = value != _meant(pattern[1:], variables)
    elif pattern.startswith(">"):
        fits = type(value) is int and value > _meant(pattern[1:], variables)
    elif pattern.startswith("$") and name.isidentifier() and name not in variables:
        expect(value is not _MISSING, f"{where} is missing.")
        if value in ([], {}, ""):
            raise NotTriedError(f"There is nothing to compare: {where} is empty.")
        variables[name] = value
        return
    elif pattern.endswith("..."):
        kept = variables[name]
        fits = isinstance(value, list) and value[: len(kept)] == kept
    else:
        fits = _same(value, _meant(pattern, variables))
    expect(fits, f"{where} is {_told(value)}, expected {cleaned(pattern)}.")


def _meant(pattern: str, variables: Mapping[str, Any]) -> Any:
    """What a text of a pattern stands for: a variable's value, or a text that may have variables in it."""
    return variable(pattern, variables) if _VARIABLE.fullmatch(pattern) else substituted(pattern, variables)
