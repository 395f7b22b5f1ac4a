"""Parses the address of a service while it is typed."""

from __future__ import annotations

from typing import Literal
from urllib.parse import SplitResult, urlsplit

import msgspec

from cdb_desktop.client.network import is_loopback

Fault = Literal["", "empty", "scheme", "host", "port", "credentials", "extra"]


class Address(msgspec.Struct, frozen=True):
    """The result of parsing: ``url`` is the complete address, or empty if ``fault`` is set."""

    url: str = ""
    fault: Fault = ""
    is_guessed: bool = False  # the scheme was added
    is_unencrypted: bool = False  # and not on this computer


def parse_address(text: str) -> Address:
    """Parses ``text``. Without a scheme it is https, or http on this computer."""
    typed = text.strip()
    if not typed:
        return Address(fault="empty")
    is_guessed = "://" not in typed
    try:
        parts = urlsplit(f"//{typed}" if is_guessed else typed)
        fault = _fault(parts)
    except ValueError:
        return Address(fault="host")
    if fault:
        return Address(fault=fault)
    here = is_loopback(parts.hostname or "")
    scheme = ("http" if here else "https") if is_guessed else parts.scheme
    url = f"{scheme}://{parts.netloc}{parts.path}".rstrip("/")
    return Address(url, is_guessed=is_guessed, is_unencrypted=scheme == "http" and not here)


def _fault(parts: SplitResult) -> Fault:
    if parts.scheme not in {"", "http", "https"}:
        return "scheme"
    if "@" in parts.netloc:
        return "credentials"
    if not _is_host(parts.hostname or ""):
        return "host"
    if parts.netloc.endswith(":") or _port(parts) == 0:
        return "port"
    return "extra" if parts.query or parts.fragment else ""


def _is_host(host: str) -> bool:
    return (
        bool(host) and not any(sign.isspace() or sign in '\\<>^`{|}"' for sign in host) and ".." not in host
    )


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        return 0
