"""The pages of the log-in in a browser: plain HTML without a script, and nothing that is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from string import Template
from urllib.parse import urlencode

from server_stub.foundation.resources import resource
from server_stub.http.responses import Answer

_HTML = "text/html; charset=utf-8"
# Tokens, codes and pages with them are kept nowhere.
NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}
_PAGE = Template(resource("log_in_page.html").read_text(encoding="utf-8"))


def log_in_page(name: str, hidden: Mapping[str, str], origin: str, login: str, problem: str) -> Answer:
    """The form for login and password; `hidden` are the fields that the browser only passes on.

    The browser may be sent on to `origin` after the form was posted.
    """
    fields = "".join(
        f'<input type="hidden" name="{escape(key)}" value="{escape(value)}">' for key, value in hidden.items()
    )
    wrong = f'<p class="wrong" role="alert">{escape(problem)}</p>' if problem else ""
    return _page(
        f"Log in to {name}",
        f'<form method="post" action="/api/oauth2/auth">{wrong}{fields}'
        '<label for="login">Login</label>'
        f'<input id="login" name="login" value="{escape(login)}" autocomplete="username" required autofocus>'
        '<label for="password">Password</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password" required>'
        '<button type="submit">Log in</button></form>',
        # A policy cannot name an address of IPv6.
        "'self' http:" if "[" in origin else f"'self' {origin}",
    )


def refusal_page(problem: str, status: int = 200) -> Answer:
    """A page for a request that cannot be sent back to its program, since nobody knows which this is."""
    return _page(
        "This log-in cannot go on",
        f'<p class="wrong" role="alert">{escape(problem)}</p><p>Close this page and try again from the '
        "program that opened it. If that does not help, check its settings for signing in.</p>",
        "'none'",
        status,
    )


def _page(title: str, body: str, form_targets: str, status: int = 200) -> Answer:
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; form-action {form_targets}; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    html = _PAGE.substitute(title=escape(title), body=body)
    headers = {
        **NO_STORE,
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
    return Answer(html.encode(errors="replace"), _HTML, status, headers=headers)


def redirection(address: str, parameters: Mapping[str, str]) -> Answer:
    """Sends the browser back to its program with the result."""
    separator = "&" if "?" in address else "?"
    target = f"{address}{separator}{urlencode(parameters)}"
    headers = {**NO_STORE, "location": target, "referrer-policy": "no-referrer"}
    return Answer(b"", _HTML, status=302, headers=headers)
