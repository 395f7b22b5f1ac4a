"""Texts that several parts of the connection's dialogs show."""

from __future__ import annotations

from cdb_desktop.client import Session, Settings
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.address import Address


def address_fault(address: Address) -> str:
    """Why the text that was typed is not an address; empty if it is one, or if nothing was typed."""
    texts = {
        "": "",
        "empty": "",
        "scheme": tr("The address begins with https:// or http://."),
        "host": tr("The address has to name a host, such as https://db.example.org."),
        "port": tr("The port is a number from 1 to 65535."),
        "credentials": tr("Log-in and password have fields of their own; leave them out of the address."),
        "extra": tr("The address ends before “?” and “#”."),
    }
    return texts[address.fault]


def address_meaning(address: Address) -> str:
    """The complete URL, if the scheme was not typed."""
    return tr("Means {url}", url=address.url) if address.is_guessed and address.url else ""


def unencrypted_warning() -> str:
    """The risk of an address with http."""
    return tr("Not encrypted: others on the network can read the password. Use https:// to protect it.")


def proxy_fault(fault: str) -> str:
    """Why the text that was typed is not the address of a proxy; ``fault`` is that of its Address."""
    if fault == "credentials":
        return tr(
            "Leave out user name and password: they are asked for when the proxy wants them, and kept in the "
            "keyring."
        )
    if fault in {"", "empty"}:
        return ""
    return tr(
        "The address of a proxy begins with http:// or https:// and names a host, such as "
        "http://proxy.example.org:3128."
    )


def trusted_certificate(fingerprint: str, *, is_authority: bool) -> str:
    """Which certificate the user trusts for a connection."""
    lines = f"\n{split_fingerprint(fingerprint)}"
    if is_authority:
        return tr("the authority with the SHA-256 fingerprint {fingerprint}", fingerprint=lines)
    return tr("only the certificate with the SHA-256 fingerprint {fingerprint}", fingerprint=lines)


def split_fingerprint(fingerprint: str) -> str:
    """A fingerprint in two lines of 16 pairs."""
    pairs = fingerprint.split(":")
    half = len(pairs) // 2
    return f"{':'.join(pairs[:half])}\n{':'.join(pairs[half:])}" if half else fingerprint


def describe_session(session: Session, found: Settings) -> str:
    """Which service responds, and whether the user can sign in there."""
    instance, user = session.instance, session.user
    name = instance.name or instance.solution or tr("A content database service")
    service = f"{name} · {instance.server_version}" if instance.server_version else name
    service = f"{service} · {service_state(found)}"
    if user is None:
        return tr("{service} responds.", service=service)
    return tr(
        "{service} responds, and {user} can sign in.", service=service, user=user.displayname or user.login
    )


def found_service(service: Settings) -> str:
    """Which service answers at an address, and of which generation."""
    name = service.name or service.instance or service.db_name or service.solution
    parts = (name, service.version if "." in service.version else "", service_state(service))
    return " · ".join(part for part in parts if part)


def service_state(service: Settings) -> str:
    """The generation of a service, and what is unusual about its state."""
    states = {"reindex": tr("rebuilds its index: results may be incomplete"), "startup": tr("starting")}
    parts = (
        tr("generation {number}", number=service.generation),
        tr("read-only") if service.read_only else "",
        states.get(service.state, ""),
    )
    return " · ".join(part for part in parts if part)


def redirect_fault() -> str:
    """Why the text that was typed is not a redirect address."""
    return tr("The redirect address is on this computer, such as http://127.0.0.1:8400/callback.")


def browser_wait(redirect: str, *, is_open: bool) -> str:
    """What the user does while the program waits for the browser; ``is_open``: one could be opened."""
    text = (
        tr("Sign in in the browser window that has opened; this window then continues.")
        if is_open
        else tr("No browser could be opened. Copy the address and open it in a browser on this computer.")
    )
    registered = tr(
        "If the browser shows that the redirect address is not registered, have it registered with the "
        "client: {redirect}",
        redirect=redirect,
    )
    return f"{text}\n{registered}"


def remember_label(*, lasting: bool, is_password: bool = True) -> str:
    """The label of the check box beside a password; ``lasting`` as in ``PasswordStore.are_lasting``.

    Not ``is_password``: the browser signs in, and what is remembered is that.
    """
    if not is_password:
        return (
            tr("&Stay signed in on this computer")
            if lasting
            else tr("&Stay signed in until the program ends")
        )
    if lasting:
        return tr("&Remember the password in the keyring")
    return tr("&Remember the password until the program ends")


def keyring_hint(*, lasting: bool, is_password: bool = True) -> str:
    """Why a password, or a sign-in in the browser, cannot be stored permanently; empty if it can."""
    if lasting:
        return ""
    if is_password:
        return tr("This system has no keyring for storing the password permanently.")
    return tr("This system has no keyring for storing the sign-in permanently.")
