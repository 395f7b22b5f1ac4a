"""The contents of a problem report: a few text files without secrets, and the archive made of them.

Secrets, and the user info and query of addresses, are always removed. Server addresses and log-in names are
replaced by placeholders such as ``server-1``, unless the user wants to include them. A name has the same
placeholder in all files.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from cdb_desktop.client import Exchange
from cdb_desktop.client.redaction import MASK, known_secrets, redact
from cdb_desktop.foundation.bundle import installed_version
from cdb_desktop.vocabulary.event_json import masked

DESCRIPTION = "description.txt"
VERSIONS, SETTINGS, REQUESTS = "versions.txt", "settings.json", "requests.txt"
LOG, CRASHES, SERVER_LOG = "log.txt", "crashes.txt", "demo-server-log.txt"

_MOST_BYTES, _MOST_LINES = 256 * 1024, 1500  # of each log, its end
_LONGEST_LINE, _LONGEST_VALUE, _MARGIN = 4000, 400, 1000  # characters
_LONGEST_DESCRIPTION = 20_000
_SQLITE_HEADER = 100  # bytes

_LOGIN_KEYS = frozenset({"login", "username", "user_name", "user_displayname", "displayname"})
# The beginning of a record; a traceback follows in further lines.
_RECORD = re.compile(r"\d{4}-\d\d-\d\d ")
_LIBRARIES = (
    *("PySide6-Essentials", "shiboken6", "qasync", "httpx", "httpcore", "anyio", "h11", "msgspec"),
    *("truststore", "certifi", "keyring", "platformdirs", "filelock", "graphviz", "pygraphviz", "google-re2"),
    *("pandas", "pyarrow", "XlsxWriter", "SQLAlchemy", "alembic", "starlette", "uvicorn", "psycopg"),
)


class ServiceFacts(msgspec.Struct, frozen=True):
    """The connection that is shown, or was shown last."""

    state: str = "none since the start"
    address: str = ""
    login: str = ""
    displayname: str = ""
    name: str = ""
    db_name: str = ""
    details: tuple[tuple[str, str], ...] = ()


class LogFile(msgspec.Struct, frozen=True):
    """A log and its files, from the oldest to the newest."""

    name: str
    paths: tuple[Path, ...]


class ReportFacts(msgspec.Struct, frozen=True):
    """The facts that the program passes to `collect`, which finds out the others.

    ``connections`` are the remembered ones, each with ``address``, ``login`` and ``name``.
    """

    program: tuple[tuple[str, str], ...] = ()
    service: ServiceFacts = ServiceFacts()
    database: Path | None = None  # of the embedded server
    settings: Mapping[str, object] = {}
    connections: tuple[Mapping[str, object], ...] = ()
    requests: tuple[Exchange, ...] = ()
    logs: tuple[LogFile, ...] = ()


class ReportFile(msgspec.Struct, frozen=True):
    """One file of the archive."""

    name: str
    text: str

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.text.encode("utf-8", "replace"))


class ProblemReport:
    """The files of a report, with names and with placeholders."""

    def __init__(
        self, anonymizer: Anonymizer, named: tuple[ReportFile, ...], unnamed: tuple[ReportFile, ...]
    ) -> None:
        self._anonymizer = anonymizer
        self._named, self._unnamed = named, unnamed

    def files(self, *, with_names: bool) -> tuple[ReportFile, ...]:
        """The files; ``with_names`` includes server addresses and log-in names."""
        return self._named if with_names else self._unnamed

    def description(self, text: str, *, with_names: bool) -> ReportFile:
        """The file of the user's description."""
        text = text.strip()
        if len(text) > _LONGEST_DESCRIPTION:
            text = f"{text[:_LONGEST_DESCRIPTION]}\n(shortened)"
        # A copy: while an address is being typed, many incomplete ones would be learned.
        anonymizer = self._anonymizer.copy()
        lines = [anonymizer.without_secrets(line) for line in text.splitlines()]
        if not with_names:
            for line in lines:
                anonymizer.learn(line, addresses=True)
            lines = [anonymizer.without_names(line) for line in lines]
        return ReportFile(DESCRIPTION, "\n".join([*lines, ""]))


def collect(facts: ReportFacts) -> ProblemReport:
    """Reads the logs, looks up versions and redacts everything. Takes up to a second: call it on a thread.

    Texts are processed line by line, so that the GUI thread stays responsive.
    """
    anonymizer = Anonymizer()
    versions = _versions(facts)
    requests = [_request_line(one, anonymizer) for one in facts.requests]
    logs = {log.name: list(_log_blocks(log.paths, anonymizer)) for log in facts.logs}
    _learn(facts, anonymizer)
    for text in (*requests, *(block for blocks in logs.values() for block in blocks)):
        anonymizer.learn(text, addresses=True)
    settings = [(str(key), _plain(value)) for key, value in facts.settings.items()]
    for key, value in settings:
        for text in (key, *_texts(value)):
            anonymizer.learn(anonymizer.without_secrets(text))

    def files(*, with_names: bool) -> Iterator[ReportFile]:
        def named(text: str) -> str:
            return text if with_names else anonymizer.without_names(text)

        def clean(text: str) -> str:
            return named(anonymizer.without_secrets(text))

        login = _same if with_names else anonymizer.login
        name = _same if with_names else anonymizer.name
        service = _service_lines(facts.service, clean, login, name)
        yield ReportFile(VERSIONS, "\n".join([*(clean(line) for line in versions), *service, ""]))
        document = {
            "settings": {clean(key): _tree(key, value, clean, login) for key, value in settings},
            "connections": [
                {
                    key: login(clean(str(value)))
                    if key == "login"
                    else name(clean(str(value)))
                    if key == "name"
                    else _tree(key, value, clean, login)
                    for key, value in one.items()
                }
                for one in facts.connections
            ],
        }
        yield ReportFile(
            SETTINGS, msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
        )
        head = ["Newest first. Tokens and bodies are never kept.", ""]
        lines = [named(line) for line in requests] or ["No request has been made."]
        yield ReportFile(REQUESTS, "\n".join([*head, *lines, ""]))
        for log, blocks in logs.items():
            # The log of the program is always included.
            if blocks or log == LOG:
                text = "\n".join([named(block) for block in blocks] or ["Nothing has been logged."])
                yield ReportFile(log, f"{text}\n")

    return ProblemReport(anonymizer, tuple(files(with_names=True)), tuple(files(with_names=False)))


def _learn(facts: ReportFacts, anonymizer: Anonymizer) -> None:
    """Teaches the servers and users of the service that is shown and of the remembered connections."""
    service = facts.service
    anonymizer.learn_address(service.address)
    for login in (service.login, service.displayname):
        anonymizer.login(anonymizer.without_secrets(login))
    for connection in facts.connections:
        anonymizer.learn_address(str(connection.get("address", "")))
        anonymizer.login(anonymizer.without_secrets(str(connection.get("login", ""))))
    anonymizer.login(_system_user())
    anonymizer.server(socket.gethostname())


def archive(files: Iterable[ReportFile], now: datetime) -> bytes:
    """The files as a ZIP archive; ``now`` is their date."""
    import zipfile  # noqa: PLC0415  # only needed here

    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for file in files:
            entry = zipfile.ZipInfo(file.name, now.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            made.writestr(entry, file.text.encode("utf-8", "replace"))
    return buffer.getvalue()


def archive_name(now: datetime) -> str:
    """The suggested file name."""
    return f"cdb-desktop-report-{now:%Y%m%d-%H%M}.zip"


def _same(text: str) -> str:
    return text


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def _versions(facts: ReportFacts) -> list[str]:
    """Versions and settings of everything except for the service."""
    release = platform.freedesktop_os_release().get("PRETTY_NAME", "") if _has_os_release() else ""
    lines = ["Program"]
    lines += _pairs(
        ("cdb-desktop", installed_version() or "not installed, runs from its sources"),
        ("runs as", "bundle" if getattr(sys, "frozen", False) else "Python package"),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.platform}"),
        *facts.program,
        ("operating system", " · ".join(filter(None, (release, platform.platform())))),
        ("processors", str(os.cpu_count() or "unknown")),
        ("time zone", f"UTC{datetime.now().astimezone():%z}"),
        ("report made", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%SZ}"),
    )
    lines += ["", "Libraries"]
    lines += _pairs(*((name, version) for name in _LIBRARIES if (version := installed_version(name))))
    lines += ["", "Embedded server"]
    lines += _pairs(("database", _database(facts.database)))
    return lines


def _service_lines(
    service: ServiceFacts,
    clean: Callable[[str], str],
    login: Callable[[str], str],
    name: Callable[[str], str],
) -> list[str]:
    pairs = [
        ("connection", service.state),
        ("address", clean(service.address)),
        ("user", login(clean(service.login))),
        ("instance", name(clean(service.name))),
        ("database name", name(clean(service.db_name))),
        *((key, clean(value)) for key, value in service.details),
    ]
    return ["", "Service", *_pairs(*((key, value) for key, value in pairs if value))]


def _pairs(*pairs: tuple[str, str]) -> list[str]:
    return [f"  {key}: {value}" for key, value in pairs]


def _has_os_release() -> bool:
    return any(Path(path).exists() for path in ("/etc/os-release", "/usr/lib/os-release"))


def _database(file: Path | None) -> str:
    if file is None:
        return "not running"
    try:
        size = f"{file.stat().st_size / 1e6:.1f} MB"
        with file.open("rb") as content:
            header = content.read(_SQLITE_HEADER)
    except OSError as error:
        return f"{file} cannot be read: {error.strerror}"
    # The last four bytes of the header are the number of the version that wrote the file last, 3040001.
    number = int.from_bytes(header[-4:], "big") if len(header) == _SQLITE_HEADER else 0
    version = f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
    return f"{file}, {size}, last written by SQLite {version}"


def _request_line(exchange: Exchange, anonymizer: Anonymizer) -> str:
    """``2026-01-31 12:00:00.000Z GET 200 · 12 ms · 100 rows · 1234 bytes · /api/v1/event/list?limit=100``."""
    parameters = masked(dict(exchange.parameters))
    query = "&".join(f"{name}={_one_line(str(value), anonymizer)}" for name, value in parameters.items())
    parts = (
        " ".join(filter(None, (str(exchange.status or "no answer"), exchange.failure))),
        f"uuid {exchange.uuid}" if exchange.uuid else "",
        f"{exchange.seconds * 1000:.0f} ms",
        "" if exchange.rows is None else f"{exchange.rows} rows",
        f"{exchange.size} bytes",
        f"{exchange.path}{'?' if query else ''}{query}",
    )
    started = exchange.started.astimezone(UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")
    return anonymizer.without_secrets(f"{started}Z {exchange.method} {' · '.join(filter(None, parts))}")


def _one_line(value: str, anonymizer: Anonymizer) -> str:
    text = anonymizer.without_secrets(value).replace("\r", "\\r").replace("\n", "\\n")
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _log_blocks(paths: Sequence[Path], anonymizer: Anonymizer) -> Iterator[str]:
    """The last records of a log with their tracebacks, without secrets."""
    lines: list[str] = []
    room, faults = _MOST_BYTES, []
    for path in reversed(paths):
        if room <= 0:
            break
        try:
            found = _tail(path, room)
        except FileNotFoundError:
            continue
        except OSError as error:
            faults.append(f"({path.name} cannot be read: {error.strerror})")
            continue
        room -= sum(map(len, found))
        lines = found + lines
    yield from faults
    block: list[str] = []
    for line in lines[-_MOST_LINES:]:
        if block and (_RECORD.match(line) or sum(map(len, block)) > _LONGEST_LINE):
            yield anonymizer.without_secrets("\n".join(block))
            block = []
        block.append(_shorten(line, anonymizer))
    if block:
        yield anonymizer.without_secrets("\n".join(block))


def _tail(path: Path, most: int) -> list[str]:
    """The last whole lines of a file. Raises OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - most))
        raw = file.read()
    lines = raw.decode("utf-8", "replace").splitlines()
    return lines[1:] if start else lines


def _shorten(line: str, anonymizer: Anonymizer) -> str:
    """The beginning of a line that is too long, without a part of a secret at its end."""
    if len(line) <= _LONGEST_LINE:
        return line
    kept = anonymizer.without_secrets(line[:_LONGEST_LINE])
    return f"{kept[: max(0, len(kept) - _MARGIN)]}… ({len(line)} characters)"


def _plain(value: object) -> Any:
    """A value of the settings for JSON; the size of binary values."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, str) and value.startswith(("{", "[")):
        with suppress(msgspec.MsgspecError, ValueError, RecursionError):
            return msgspec.json.decode(value)
    if isinstance(value, Sized) and not isinstance(value, str):
        return f"({len(value)} bytes)"  # such as Qt's byte arrays
    return value if value is None or isinstance(value, bool | int | float | str) else str(type(value))


def _texts(value: Any) -> Iterator[str]:
    """All texts of a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield str(key)
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _tree(key: str, value: Any, clean: Callable[[str], str], login: Callable[[str], str]) -> Any:
    """The value of the setting ``key`` without secrets and with placeholders."""
    if value not in (None, "", True, False) and masked({key: "text"})[key] == MASK:
        return MASK
    if isinstance(value, Mapping):
        return {clean(str(name)): _tree(str(name), one, clean, login) for name, one in value.items()}
    if isinstance(value, list):
        return [_tree("", one, clean, login) for one in value]
    if isinstance(value, str):
        text = clean(value)
        return login(text) if key.rpartition("/")[2].lower() in _LOGIN_KEYS else text
    if value is None or isinstance(value, bool):
        return value
    # A number may be a password too.
    return value if clean(str(value)) == str(value) else clean(str(value))


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
