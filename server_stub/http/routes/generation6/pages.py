"""The pages of the log-in in a browser: plain HTML without a script, and nothing that is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from server_stub.http.responses import Answer

_HTML = "text/html; charset=utf-8"
# Tokens, codes and pages with them are kept nowhere.
NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}
_STYLE = """
:root { color-scheme: light dark; --ground: #f6f8fa; --card: #fff; --text: #1b1f24; --line: #8c959f;
  --accent: #0b5cad; --on-accent: #fff; --wrong: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --card: #1d2126; --text: #e6e9ed;
  --line: #6e7781; --accent: #6cb2ff; --on-accent: #0d1117; --wrong: #ff8a80; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { background: var(--card); padding: 2rem; border-radius: 8px; width: min(20rem, 80vw); }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
label { display: block; margin-top: .75rem; }
input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--line); border-radius: 4px; }
button { margin-top: 1.25rem; width: 100%; padding: .6rem; font: inherit; border: 0; border-radius: 4px;
  background: var(--accent); color: var(--on-accent); }
.wrong { color: var(--wrong); }
"""


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
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>\n"
    )
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
