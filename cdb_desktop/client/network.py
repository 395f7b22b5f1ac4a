"""How a client reaches its service: proxy, client certificate, and the certificates that it trusts.

Everything here may read files and is meant to run off the event loop's thread.
"""

from __future__ import annotations

import hashlib
import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cdb_desktop.client.errors import CertificateProblem, NetworkOptionsError, OptionField, OptionProblem

SYSTEM_PROXY = "system"
NO_PROXY = "none"

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
_PEM_KEY = b"PRIVATE KEY-----"
_LARGEST = 2**20  # bytes of a file with certificates
_DER = b"\x30\x82"
_SHORT_NAMES = {
    "commonName": "CN",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "localityName": "L",
    "stateOrProvinceName": "ST",
    "countryName": "C",
}
# X509_V_ERR_* of OpenSSL, CERT_E_* of Windows and errSec* of macOS, as truststore passes them on.
_PROBLEMS: dict[int, CertificateProblem] = {
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "issuer",
    20: "issuer",
    21: "issuer",
    23: "revoked",
    62: "host_name",
    64: "host_name",
    0x800B0101: "expired",
    0x800B0109: "issuer",
    0x800B010A: "issuer",
    0x800B010C: "revoked",
    0x800B010F: "host_name",
    -67602: "host_name",
    -67818: "expired",
    -67819: "not_yet_valid",
    -67820: "revoked",
    -67843: "issuer",
    -25318: "issuer",
}


@dataclass(frozen=True, slots=True)
class ProxyLogin:
    """User name and password for a proxy."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """PEM files with the certificate that the client shows, and its private key.

    ``key`` is empty where the key is in ``file``; ``passphrase`` is that of an encrypted key.
    """

    file: str
    key: str = ""
    passphrase: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """How a client reaches its service.

    - ``proxy`` is SYSTEM_PROXY for the proxy of the environment's variables, or on Windows and macOS that of
      the system's settings; NO_PROXY for none; or the address of an http or https proxy. Services on this
      machine are always reached without a proxy.
    - ``proxy_login`` is used in place of a user in the address of the proxy.
    - ``certificate`` is sent to a service that requests one.
    - ``authority`` is a file with certificates of authorities that are trusted besides those of the system,
      ``trusted_authority`` is the text of such certificates.
    - ``trusted_certificate`` is the text of the only server certificate that is accepted, for any
      issuer and host name.
    """

    proxy: str = SYSTEM_PROXY
    proxy_login: ProxyLogin | None = None
    certificate: ClientCertificate | None = None
    authority: str = ""
    trusted_authority: str = ""
    trusted_certificate: str = ""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A server's certificate; ``fingerprint`` is its SHA-256 in pairs of digits."""

    pem: str
    fingerprint: str
    subject: str = ""
    issuer: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    host_names: tuple[str, ...] = ()
    is_authority: bool = False

    @property
    def is_self_signed(self) -> bool:
        """Whether it names itself as its issuer."""
        return bool(self.subject) and self.subject == self.issuer

    def names(self, host: str) -> bool:
        """Whether it was issued for ``host``."""
        wanted = host.strip("[]").rstrip(".").lower()
        return any(_matches(name.lower(), wanted) for name in self.host_names)


def check_options(options: NetworkOptions) -> None:
    """Raises NetworkOptionsError for the first option that cannot be used."""
    if options.proxy not in {SYSTEM_PROXY, NO_PROXY}:
        _checked_proxy(options.proxy)
    apply_options(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), options)


def proxy_for(url: str, options: NetworkOptions) -> str:
    """The address of the proxy for ``url``, with a user where the environment names one; empty for none.

    Raises NetworkOptionsError for a proxy that cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if options.proxy == NO_PROXY or is_loopback(host):
        return ""
    if options.proxy != SYSTEM_PROXY:
        return _checked_proxy(options.proxy)
    # Slow to import: it loads http.client and email.
    from urllib.request import getproxies  # noqa: PLC0415

    found = getproxies()
    if _is_bypassed(host, parts.port, found.get("no", "")):
        return ""
    proxy = found.get(parts.scheme) or found.get("all") or ""
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine, which no proxy can reach."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def apply_options(context: ssl.SSLContext, options: NetworkOptions) -> None:
    """Adds authorities and client certificate to ``context``. Raises NetworkOptionsError."""
    if options.authority:
        _add_authority(context, options.authority)
    if options.trusted_authority:
        _add_text(context, options.trusted_authority)
        # It may be an intermediate certificate.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if options.certificate is not None:
        _add_certificate(context, options.certificate)


def pinning_context(pem: str) -> ssl.SSLContext:
    """A context that accepts the server certificate ``pem`` and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the user has compared the certificate itself
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    _add_text(context, pem)
    return context


def unverified_context() -> ssl.SSLContext:
    """A context without verification, to read a certificate; nothing may be sent with it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def peer_certificates(connection: ssl.SSLObject) -> tuple[Certificate, ...]:
    """The certificates that the server has sent, its own first."""
    # Public since Python 3.13; the inner object has it since 3.10.
    inner = getattr(connection, "_sslobj", None)
    try:
        chain = inner.get_unverified_chain() if inner is not None else None
        return tuple(_certificate(one.public_bytes(), one.get_info()) for one in chain or ())
    except AttributeError:
        der = connection.getpeercert(binary_form=True)
        return (_certificate(ssl.DER_cert_to_PEM_cert(der), {}),) if der else ()


def certificate_fingerprint(pem: str) -> str:
    """The SHA-256 of the first certificate in ``pem``, in pairs of digits, or empty."""
    begin, end = pem.find(_BEGIN), pem.find(_END)
    try:
        digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem[begin : end + len(_END)])).hexdigest().upper()
    except ValueError:
        return ""
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


def certificate_problem(error: ssl.SSLCertVerificationError) -> CertificateProblem:
    """Why the certificate was not accepted."""
    return _PROBLEMS.get(getattr(error, "verify_code", 0), "other")


def is_client_certificate_alert(error: ssl.SSLError) -> bool:
    """Whether the server requires a client certificate, or another one."""
    reason = str(error.reason or "").upper()
    return "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason)


def _certificate(pem: str, info: dict[str, Any]) -> Certificate:
    return Certificate(
        pem,
        certificate_fingerprint(pem),
        _distinguished_name(info.get("subject", ())),
        _distinguished_name(info.get("issuer", ())),
        _moment(info.get("notBefore", "")),
        _moment(info.get("notAfter", "")),
        tuple(str(name) for kind, name in info.get("subjectAltName", ()) if kind in {"DNS", "IP Address"}),
        _holds_authority(pem),
    )


def _distinguished_name(parts: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    named = [(_SHORT_NAMES.get(kind, kind), text) for part in parts for kind, text in part]
    named.sort(key=lambda one: one[0] != "CN")  # the common name first
    return ", ".join(f"{kind}={text}" for kind, text in named)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(ssl.cert_time_to_seconds(text), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _holds_authority(pem: str) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=pem)
    except ssl.SSLError:
        return False
    return context.cert_store_stats()["x509_ca"] > 0


def _matches(name: str, host: str) -> bool:
    try:
        return ip_address(name) == ip_address(host)
    except ValueError:
        pass
    if name.startswith("*."):
        return host.partition(".")[2] == name[2:]
    return name == host


def _checked_proxy(address: str) -> str:
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise NetworkOptionsError("proxy", "address")
    return address


def _is_bypassed(host: str, port: int | None, exceptions: str) -> bool:
    from urllib.request import proxy_bypass  # noqa: PLC0415  # as above

    if proxy_bypass(host) or (port and proxy_bypass(f"{host}:{port}")):
        return True
    # urllib does not support networks.
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(_is_in(address, one.strip()) for one in exceptions.split(",") if "/" in one)


def _is_in(address: object, network: str) -> bool:
    try:
        return address in ip_network(network, strict=False)
    except (ValueError, TypeError):
        return False


def _add_text(context: ssl.SSLContext, pem: str) -> None:
    try:
        context.load_verify_locations(cadata=pem)
    except (ssl.SSLError, ValueError):
        raise NetworkOptionsError("authority", "not_pem", "") from None


def _add_authority(context: ssl.SSLContext, file: str) -> None:
    content = _content("authority", file)
    # Text before the certificate is common, but OpenSSL accepts ASCII only.
    data = (
        content.decode("latin-1").encode("ascii", "replace").decode() if b"-----BEGIN" in content else content
    )
    probe = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        probe.load_verify_locations(cadata=data)
    except (ssl.SSLError, ValueError):
        raise NetworkOptionsError("authority", "not_pem", file) from None
    if not probe.cert_store_stats()["x509_ca"]:
        raise NetworkOptionsError("authority", "no_authority", file)
    context.load_verify_locations(cadata=data)


def _add_certificate(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    file, key = certificate.file, certificate.key
    content = _content("certificate", file)
    if _BEGIN.encode() not in content:
        is_container = content.startswith(_DER) and Path(file).suffix.lower() in {".p12", ".pfx"}
        raise NetworkOptionsError("certificate", "pkcs12" if is_container else "not_pem", file)
    key_content = _content("key", key) if key else content
    if _PEM_KEY not in key_content:
        raise NetworkOptionsError("key", "not_pem" if key else "no_key", key or file)
    has_asked = False

    def passphrase() -> str:
        nonlocal has_asked
        has_asked = True
        return certificate.passphrase

    try:
        context.load_cert_chain(file, key or None, passphrase)
    except (ssl.SSLError, OSError, ValueError) as error:
        if getattr(error, "reason", "") == "KEY_VALUES_MISMATCH":
            raise NetworkOptionsError("key", "mismatch", key or file) from None
        if has_asked:
            problem: OptionProblem = "wrong" if certificate.passphrase else "missing"
            raise NetworkOptionsError("passphrase", problem, key or file) from None
        raise NetworkOptionsError("certificate", "unusable", file) from None


def _content(option: OptionField, file: str) -> bytes:
    try:
        with Path(file).open("rb") as opened:
            return opened.read(_LARGEST)
    except FileNotFoundError:
        problem: OptionProblem = "missing"
    except (OSError, ValueError):
        problem = "unreadable"
    raise NetworkOptionsError(option, problem, file)
