"""Removes secrets from texts, and replaces the names of servers and users by placeholders."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from cdb_desktop.client.redaction import MASK, known_secrets, redact

_SHORTEST = 4  # characters of a known secret, as in redaction
_SHORTEST_NAME = 3  # characters of a name that is replaced in ordinary text
_LOOPBACK = re.compile(r"(?i)localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1?\]?")

_ADDRESS = re.compile(
    r"(?i)(?P<scheme>\b[a-z][a-z0-9+.-]{0,20}://)(?P<user>[^\s\"'<>/?#\\@]*@)*(?P<host>[^\s\"'<>/?#\\@,;)]+)"
    r"(?P<path>[^\s\"'<>?#\\]*)(?P<query>\?[^\s\"'<>\\#]*)?(?P<fragment>#[^\s\"'<>\\]*)?"
)
_IP = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]\w)")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_LOGIN_VALUE = re.compile(
    r"(?i)(?P<key>\b(?:login|user_?name|user_displayname)\\*[\"']?\s*[=:]\s*)"
    r"(?P<login>\\*[\"'][^\"'\\]+|[^\s&\"'\\,;)}]+)"
)
# A user of a service in the keys of settings.
_LOGIN_AT = re.compile(r"(?P<login>[^\s\"'/,;•]{1,255})@(?=[a-z]{2,20}://)")
# Not replaced as log-in names in ordinary text, which is full of these words.
_COMMON = re.compile(
    r"api|app|cdb|client|crash|debug|demo|desktop|error|event|events|false|"
    r"file|get|host|http|https|info|line|live|log|login|main|module|"
    r"name|none|null|path|post|python|qt|request|requests|schema|server|service|"
    r"session|settings|system|test|thread|token|true|user|users|version|warning|window"
)


class Anonymizer:
    """Removes secrets from texts, and replaces the names of servers and users that it has learned."""

    def __init__(self) -> None:
        self._secrets = [one for one in known_secrets if len(one) >= _SHORTEST]
        self._servers: dict[str, str] = {}
        self._users: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._paths: set[str] = set()  # of services on their servers
        self._home = str(Path.home())
        self._pattern: re.Pattern[str] | None = None
        self._placeholders: list[str] = []

    def copy(self) -> Anonymizer:
        """A copy that learns independently."""
        other = Anonymizer()
        other._secrets, other._paths = [*self._secrets], {*self._paths}
        other._servers, other._users, other._names = {**self._servers}, {**self._users}, {**self._names}
        return other

    def without_secrets(self, text: str) -> str:
        """``text`` without secrets; addresses lose user info, query and fragment."""
        text = redact(text, self._secrets)
        return _ADDRESS.sub(_bare_address, text) if "://" in text else text

    def learn_address(self, address: str) -> None:
        """Learns the server of a service's address, and its path, which may contain a name too."""
        found = _ADDRESS.match(address)
        if found is not None:
            self.server(_host(found["host"]))
            self._paths |= {found["path"].rstrip("/")} - {""}

    def learn(self, text: str, *, addresses: bool = False) -> None:
        """Learns the servers and users in ``text``, with ``addresses`` also bare IP addresses."""
        if "://" in text:
            for found in _ADDRESS.finditer(text):
                self.server(_host(found["host"]))
            for found in _LOGIN_AT.finditer(text):
                self.login(found["login"])
        if "@" in text:
            for found in _MAIL.finditer(text):
                self.login(found[0])
        if addresses:
            for found in _IP.finditer(text):
                self.server(found[0])

    def server(self, host: str) -> str:
        """The placeholder of a server."""
        return self._add(self._servers, host, "server")

    def login(self, login: str) -> str:
        """The placeholder of a user."""
        return self._add(self._users, login, "user")

    def name(self, name: str) -> str:
        """The placeholder of the name of a service or a connection."""
        return self._add(self._names, name, "name")

    def without_names(self, text: str) -> str:
        """``text`` with placeholders for everything learned."""
        if len(self._home) > 1:
            text = text.replace(self._home, "~")
        text = _LOGIN_VALUE.sub(lambda found: found["key"] + self._user_value(found["login"]), text)
        if "@" in text:
            text = _LOGIN_AT.sub(lambda found: f"{self.login(found['login'])}@", text)
        if self._pattern is None:
            self._pattern = self._create_pattern()
        text = self._pattern.sub(self._placeholder, text)
        for path in self._paths:
            text = re.sub(rf"(\bserver-\d+(?::\d+)?){re.escape(path)}(?![\w-])", r"\1/service", text)
        return text

    def _user_value(self, login: str) -> str:
        """The placeholder of a value in the place of a log-in name; numbers and masks are kept."""
        name = login.lstrip("\\\"'")
        if name.isdecimal() or MASK in name:
            return login
        return login.removesuffix(name) + self.login(name)

    def _add(self, known: dict[str, str], name: str, kind: str) -> str:
        key = name.strip().casefold()
        if (
            not key
            or MASK in key
            or _LOOPBACK.fullmatch(key)
            or re.fullmatch(r"(?:server|user|name)-\d+", key)
        ):
            return name
        if key not in known:
            known[key] = f"{kind}-{len(known) + 1}"
            self._pattern = None
        return known[key]

    def _create_pattern(self) -> re.Pattern[str]:
        """A pattern of all names in ordinary text, longer ones first, with one group for each name."""
        found: list[tuple[str, str, str]] = []
        for host, placeholder in self._servers.items():
            if len(host) >= _SHORTEST_NAME and not _COMMON.fullmatch(host):
                below = r"(?:[\w*-]+\.)*" if not _IP.fullmatch(host) else ""
                found.append((host, rf"(?<![\w.-]){below}{re.escape(host)}(?![\w-]|\.\w)", placeholder))
        for login, placeholder in self._users.items():
            if len(login) >= _SHORTEST_NAME and not _COMMON.fullmatch(login):
                found += (
                    (spelling, rf"(?<!\w){re.escape(spelling)}(?!\w|-\d)", placeholder)
                    for spelling in {login, quote(login, safe="").casefold()}
                )
        found.sort(key=lambda one: -len(one[0]))
        self._placeholders = [placeholder for _name, _pattern, placeholder in found]
        # Without any name nothing matches.
        return re.compile("|".join(f"({pattern})" for _name, pattern, _ in found) or r"(?!)", re.IGNORECASE)

    def _placeholder(self, found: re.Match[str]) -> str:
        return self._placeholders[(found.lastindex or 1) - 1]


def _host(netloc: str) -> str:
    if netloc.startswith("["):
        return netloc.partition("]")[0] + "]"
    return netloc.partition(":")[0].rstrip(".")


def _bare_address(found: re.Match[str]) -> str:
    return f"{found['scheme']}{found['host']}{found['path']}"
