"""The errors of calls: one class for each case that callers handle differently.

ClientError
├── UnreachableError            the service cannot be reached; ``kind`` is the reason
│   ├── GatewayError            something before the service answers in its place, with a status of HTTP
│   │   ├── ProxyLoginError     the proxy requires user name and password, or others
│   │   └── NotReadyError       the service starts, is busy or is being emptied
│   ├── CertificateError        the certificate of the service is not accepted; ``problem`` is the reason
│   └── ClientCertificateError  the service requires a certificate of the client, or another one
├── NetworkOptionsError         an option of NetworkOptions cannot be used, see ``option`` and ``problem``
├── StreamRefusedError          calls may reach the service, but a stream of events does not
├── SlowAnswerError             reached, but no response in time
├── AnswerError                 an invalid response: HTML, broken JSON, a wrong shape, see ``problem``
│   └── TooLargeError           a response larger than the limit of this kind of call
└── ServiceError                an error object of the service (§2.3); unknown codes and realms stay here
    ├── ApiError                the call was malformed (§7.2)
    ├── ServerError             the service failed; ``uuid`` leads to details (§7.3)
    └── UserError               the call was refused (§7.4 to §7.9)
        ├── SessionLostError    sign in again
        ├── LoginRefusedError   other credentials, or later
        │   └── SignInError     the sign-in with OAuth 2.0 failed; ``problem`` is the reason
        ├── MissingRightError   ask for ``right``
        ├── NotFoundError       the object no longer exists
        └── VersionMismatchError    read again, then repeat
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

UnreachableKind = Literal[
    "address", "dns", "refused", "timeout", "tls", "proxy", "disconnected", "network", "gateway", "busy"
]

CertificateProblem = Literal[
    "issuer", "self_signed", "expired", "not_yet_valid", "host_name", "revoked", "changed", "other"
]
OptionField = Literal["proxy", "certificate", "key", "passphrase", "authority"]
OptionProblem = Literal[
    "address",  # an invalid address of a proxy
    "missing",  # no such file, or no passphrase for a key that has one
    "unreadable",
    "not_pem",
    "pkcs12",
    "no_key",
    "mismatch",
    "wrong",
    "unusable",
    "no_authority",
]

AddressProblem = Literal["scheme", "port", "host", "proxy_kind"]
AnswerProblem = Literal[
    "web_page",
    "web_page_for_json",
    "web_page_for_error",
    "no_error_object",
    "redirect",  # ``value``: its target
    "corrupt_body",
    "too_large",  # ``value``: the limit in MB
    "not_json",
    "not_object",
    "not_array",
    "not_file",  # ``value``: the media type
    "no_number",
    "no_token",
    "no_id",
    "id_not_integer",
    "id_too_large",
    "too_deep",
    "other_object",  # ``value``: the requested id
    "other_records",  # ``value``: the requested offset
    "same_records",
    "incomplete",  # ``value``: RECORDS / TOTAL
    "unknown_call",
]

SignInProblem = Literal[
    "password",  # not accepted, or not for this account: a second factor, single sign-on
    "second_factor",
    "grant",  # the client may not sign in with a password
    "client",  # an unknown client, or a wrong secret
    "request",  # something is missing, repeated or malformed
    "flow",  # the client may not sign in in the browser
    "response_type",  # the service gives out no codes for this client
    "redirect",  # the redirect address is not registered with the client
    "scope",
    "code",  # the code of the browser has expired, or was used before
    "denied",  # in the browser
    "revoked",  # the refresh token has expired, was used before, or was revoked
    "expired",  # the tokens had expired when they came
    "clock",  # that of the computer and that of the service differ by ``value`` minutes
    "unavailable",
    "other",
    "port_taken",
    "no_answer",  # of the browser
    "password_only",  # the service has no other way to sign in
    "other_user",  # than the one who had signed in, ``value``
    "browser_only",  # where no browser can be opened
]

WEB_PAGES = frozenset({"text/html", "application/xhtml+xml"})  # media types


class ClientError(Exception):
    """Base of all errors of calls; their texts contain no token and no password.

    ``retry_after`` is the number of seconds to wait before the next attempt, 0 if not specified.
    ``request_id`` is the name of the request in the log of the service, or of a gateway before it.
    """

    retry_after: float = 0.0
    request_id: str = ""


class UnreachableError(ClientError):
    """The service cannot be reached.

    ``address_problem`` describes an invalid address; ``reason`` is the text of the operating system.
    """

    def __init__(
        self, kind: UnreachableKind, reason: str = "", *, address_problem: AddressProblem | None = None
    ) -> None:
        super().__init__(f"service unreachable ({kind}): {address_problem or reason}")
        self.kind: UnreachableKind = kind
        self.reason = reason
        self.address_problem: AddressProblem | None = address_problem


class GatewayError(UnreachableError):
    """A gateway, proxy or load balancer responds in place of the service, without an error object."""

    def __init__(self, status: int, *, excerpt: str = "") -> None:
        kind: UnreachableKind = "busy" if status == 429 else "proxy" if status == 407 else "gateway"
        super().__init__(kind, f"HTTP {status}")
        self.status = status
        self.excerpt = excerpt


class ProxyLoginError(GatewayError):
    """The proxy at ``proxy`` requires a sign-in.

    ``is_refused``: a login was sent. ``methods`` are the authentication methods that it offers; the client
    supports only ``basic``.
    """

    def __init__(self, proxy: str, *, is_refused: bool, methods: tuple[str, ...] = ()) -> None:
        super().__init__(407)
        self.proxy = proxy
        self.is_refused = is_refused
        self.methods = methods

    @property
    def is_possible(self) -> bool:
        """Whether the client can sign in with user name and password."""
        return not self.methods or "basic" in self.methods


class NotReadyError(GatewayError):
    """The service is there but cannot work: ``state`` is ``startup``, ``busy`` or ``purge``."""

    def __init__(self, state: str) -> None:
        super().__init__(503)
        self.state = state


class CertificateError(UnreachableError):
    """The certificate of the service at ``host`` is not accepted; nothing was sent."""

    def __init__(self, problem: CertificateProblem, reason: str, host: str) -> None:
        super().__init__("tls", reason)
        self.problem: CertificateProblem = problem
        self.host = host


class ClientCertificateError(UnreachableError):
    """The service requires a client certificate; ``is_refused`` if it was sent one."""

    def __init__(self, reason: str, *, is_refused: bool) -> None:
        super().__init__("tls", reason)
        self.is_refused = is_refused


class NetworkOptionsError(ClientError):
    """``option`` of NetworkOptions cannot be used; ``file`` is its file, if it names one."""

    def __init__(self, option: OptionField, problem: OptionProblem, file: str = "") -> None:
        super().__init__(f"{option}: {problem}{f' ({file})' if file else ''}")
        self.option: OptionField = option
        self.problem: OptionProblem = problem
        self.file = file


class StreamRefusedError(ClientError):
    """The service, or a proxy before it, opens no stream of events."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"no stream of events: {reason}")
        self.reason = reason


class SlowAnswerError(ClientError):
    """No response within ``seconds``; whether the call had an effect is unknown."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")
        self.seconds = seconds


class AnswerError(ClientError):
    """An invalid response.

    ``value`` is the parameter of ``problem``, if it has one; ``place`` is the part of the response.
    """

    def __init__(
        self,
        problem: AnswerProblem,
        *,
        status: int,
        value: str = "",
        content_type: str = "",
        excerpt: str = "",
        place: str = "",
    ) -> None:
        spot = f"{place}: " if place else ""
        what = f"{problem} {value}" if value else problem
        kind = content_type or "no content type"
        super().__init__(f"{spot}{what} (status {status}, {kind}): {excerpt!r}")
        self.problem: AnswerProblem = problem
        self.value = value
        self.status = status
        self.content_type = content_type
        self.excerpt = excerpt
        self.place = place

    @property
    def is_web_page(self) -> bool:
        """Whether the response is a web page, probably of something else than the service."""
        return self.content_type in WEB_PAGES


class TooLargeError(AnswerError):
    """The response has more than ``largest`` bytes, unpacked; the rest was not read.

    ``is_bomb``: it unpacks to so many times its size that fewer records would not help.
    """

    def __init__(self, largest: int, *, status: int = 200, is_bomb: bool = False) -> None:
        super().__init__("too_large", value=str(largest // 2**20), status=status)
        self.largest = largest
        self.is_bomb = is_bomb


class ServiceError(ClientError):
    """An error object of the service (§2.3); ``code`` is empty if there was only a status."""

    def __init__(
        self,
        realm: str,
        code: str,
        parameters: Mapping[str, str] | None = None,
        description: str = "",
        uuid: str = "",
        status: int = 0,
    ) -> None:
        self.realm = realm
        self.code = code
        self.parameters: Mapping[str, str] = dict(parameters or {})
        self.description = description
        self.uuid = uuid
        self.status = status
        super().__init__(self._sentence())

    @property
    def name(self) -> str:
        """The code without its ``error.<realm>.`` prefix, such as ``event_not_found``."""
        return self.code.removeprefix(f"error.{self.realm}.")

    def _sentence(self) -> str:
        named = ", ".join(f"{key}={value}" for key, value in self.parameters.items())
        parts = (self.code or f"status {self.status}", named and f"({named})", self.description)
        return " ".join(part for part in parts if part)


class ApiError(ServiceError):
    """The service found the call malformed (§7.2)."""


class ServerError(ServiceError):
    """The service failed (§7.3); Client.server_error(uuid) reads the details."""


class UserError(ServiceError):
    """The service refused the call (§7.4 to §7.9)."""


class SessionLostError(UserError):
    """There is no session, or it is unknown, expired or not signed in: sign in and repeat."""


class LoginRefusedError(UserError):
    """The login is not accepted, or not now."""


class SignInError(LoginRefusedError):
    """The sign-in with OAuth 2.0 failed for ``problem``; ``code`` is that of RFC 6749, if there is one."""

    def __init__(
        self,
        problem: SignInProblem,
        code: str = "",
        description: str = "",
        *,
        status: int = 0,
        value: str = "",
    ) -> None:
        """``value`` is the parameter of the problem, such as the redirect address."""
        super().__init__(
            "oauth2", code or problem, {"value": value} if value else {}, description, "", status
        )
        self.problem: SignInProblem = problem


class MissingRightError(UserError):
    """The user does not have ``right``, a system right (§5.2) or one on an object; empty if unknown."""

    @property
    def right(self) -> str:
        """The missing right as the service names it; of several that would do, all."""
        return self.parameters.get("right", "") or ", ".join(_names(self.parameters.get("rights", "")))


def _names(listed: str) -> tuple[str, ...]:
    """The texts of a JSON array."""
    try:
        return tuple(msgspec.json.decode(listed, type=tuple[str, ...]))
    except msgspec.MsgspecError:
        return (listed,)


class NotFoundError(UserError):
    """The requested thing does not exist (any more)."""


class VersionMismatchError(UserError):
    """Somebody else has saved meanwhile; ``parameters`` are the versions ``provided`` and ``expected``."""


# The next call may succeed.
TEMPORARY = (UnreachableError, SlowAnswerError, ServerError, AnswerError)
