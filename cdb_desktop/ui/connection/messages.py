"""What the connection's forms say about their fields; knows no widget."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import Session
from cdb_desktop.ui.connection.address import Address


def address_fault(address: Address) -> str:
    """Why the typed text is no address; empty where it is one, or nothing."""
    translate = QCoreApplication.translate
    words = {
        "": "",
        "empty": "",
        "scheme": translate("Connection", "The address begins with https:// or http://."),
        "host": translate("Connection", "The address has to name a host, such as https://db.example.org."),
        "port": translate("Connection", "The port is a number from 1 to 65535."),
        "credentials": translate(
            "Connection", "Log-in and password have fields of their own; leave them out of the address."
        ),
        "extra": translate("Connection", "The address ends before “?” and “#”."),
    }
    return words[address.fault]


def proxy_fault(fault: str) -> str:
    """Why the typed address of a proxy is none; empty where it is one, or nothing."""
    if fault == "credentials":
        return QCoreApplication.translate(
            "Connection",
            "Leave out user name and password: they are asked for when the proxy wants them, and kept in the "
            "keyring.",
        )
    if fault in {"", "empty"}:
        return ""
    return QCoreApplication.translate(
        "Connection",
        "The address of a proxy begins with http:// or https:// and names a host, such as "
        "http://proxy.example.org:3128.",
    )


def trusted_line(fingerprint: str, *, is_authority: bool) -> str:
    """Which certificate the user has confirmed for a connection."""
    if is_authority:
        told = QCoreApplication.translate("Connection", "the authority with the SHA-256 fingerprint %1")
    else:
        told = QCoreApplication.translate(
            "Connection", "only the certificate with the SHA-256 fingerprint %1"
        )
    return told.replace("%1", broken(fingerprint))


def broken(fingerprint: str) -> str:
    """A fingerprint in two lines of 16 pairs."""
    pairs = fingerprint.split(":")
    half = len(pairs) // 2
    return f"\n{':'.join(pairs[:half])}\n{':'.join(pairs[half:])}" if half else fingerprint


def address_meaning(address: Address) -> str:
    """What a usable address means beyond what was typed."""
    if address.is_guessed and address.url:
        return QCoreApplication.translate("Connection", "Means %1").replace("%1", address.url)
    return ""


def open_line() -> str:
    """What is risked without encryption."""
    return QCoreApplication.translate(
        "Connection",
        "Not encrypted: others on the network can read the password. Use https:// to protect it.",
    )


def answer_of(session: Session) -> str:
    """What a service has told about itself, and whether it lets the user in."""
    translate = QCoreApplication.translate
    instance = session.instance
    name = instance.name or instance.solution or translate("Connection", "A content database service")
    told = f"{name} · {instance.server_version}" if instance.server_version else name
    if session.user is None:
        return translate("Connection", "%1 responds.").replace("%1", told)
    welcome = translate("Connection", "%1 responds, and %2 can sign in.")
    return welcome.replace("%1", told).replace("%2", session.user.displayname or session.user.login)


def remember_label(*, lasting: bool) -> str:
    """What the tick beside the password means."""
    if lasting:
        return QCoreApplication.translate("Connection", "&Remember the password in the keyring")
    return QCoreApplication.translate("Connection", "&Remember the password until the program ends")


def keyring_hint(*, lasting: bool) -> str:
    """Why it is remembered no longer."""
    if lasting:
        return ""
    return QCoreApplication.translate(
        "Connection", "This system has no keyring for storing the password permanently."
    )
