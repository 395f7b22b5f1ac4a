"""Malformed requests and documents cause neither faults of the server nor hangs."""

from __future__ import annotations

import json
import random
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from copy import deepcopy
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest

from tests.contract.documents import museum
from tests.server import started
from tests.server_stub.command import signal_end
from tests.server_stub.endurance.store import Store

# Replacements in queries, headers and JSON.
TEXTS = (
    *("", " ", "0", "-1", "1", "9" * 18, "9" * 40, "1e999", "NaN", "null", "true", "\x00", "\x7f", "\r\n"),
    *(
        "'",
        '"',
        "\\",
        "%",
        "%s",
        "%00",
        "../..",
        "{}",
        "[]",
        "é",
        "😀",
        "\ud800",
        "\u202e",
        ",",
        ",,",
        ".DESC",
    ),
    *(
        "HEAD",
        "CURRENT",
        "a" * 300,
        "a" * 5000,
        "SELECT 1;--",
        "2020-02-30",
        "0000-01-01",
        "9999-12-31T23:59:60",
    ),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 2**70, 1.5, 1e308, "", [], {}, [[]], {"": {}}),
    *([None], "\x00", "\ud800", "a" * 300, [1] * 300, {str(n): n for n in range(50)}, "HEAD", "_id", "link"),
)
_DEEP = json.loads("[" * 400 + "]" * 400)
PATHS = (
    *("session", "event/list", "event/poll", "event/poll/99", "event/1", "server/error", "settings"),
    *("schema/user/HEAD", "schema/user/CURRENT", "schema/user/1", "schema/user/HEAD/plan", "l10n/user/HEAD"),
    *("config/list", "plugin/base/server/error/x", "openapi.json", "db/artist/_all_fields/1", "nothing", ""),
)
QUERY = {
    "limit": "10",
    "offset": "0",
    "type": "SEARCH",
    "base_type": "user",
    "user_id": "1",
    "group_id": "1",
    "user_type": "easydb",
    "date_from": "2020-01-01",
    "date_to": "2030-01-01",
    "sort": "_id.ASC,type",
    "pollable": "true",
    "format": "csv",
    "skip_count": "true",
    "csv_delimiter": ";",
    "csv_explode": "true",
    "csv_max_length": "5",
    "csv_quote": "'",
    "csv_use_bom": "1",
    "uuid": "x",
    "pretty": "0",
}
EVENT = {"type": "SEARCH", "info": {"a": [1, {"b": "c"}]}, "objecttype": "work", "object_id": 1}


class Mutations:
    """Generates requests; the same seed gives the same requests."""

    def __init__(self, seed: int, token: str, head: dict[str, Any]) -> None:
        self._random = random.Random(seed)
        self._token = token
        self._head = head

    def request(self) -> bytes:
        """A complete HTTP request."""
        make: Callable[[], bytes] = self._random.choices(
            (self._read, self._insert, self._delete, self._sign_in, self._save, self._commit, self._names),
            (40, 25, 5, 5, 15, 0.2, 3),
        )[0]
        return make()

    def damaged(self) -> bytes:
        """The bytes of a request with some of them changed."""
        sent = bytearray(self.request())
        for _ in range(self._random.randint(1, 4)):
            at = self._random.randrange(len(sent) or 1)
            match self._random.randrange(4):
                case 0:
                    sent[at : at + 1] = bytes([self._random.randrange(256)])
                case 1:
                    del sent[at : at + self._random.randint(1, 30)]
                case 2:
                    sent[at:at] = sent[: self._random.randrange(200)]
                case _:
                    del sent[at:]
        return bytes(sent)

    def _read(self) -> bytes:
        return self._made("GET", self._path(), self._query())

    def _insert(self) -> bytes:
        return self._made("POST", "event", {}, self._json(EVENT))

    def _delete(self) -> bytes:
        body = self._json([1, 2, 3]) if self._random.random() < 0.5 else b""
        return self._made("DELETE", "event", self._query() | {"limit": "1"}, body)

    def _sign_in(self) -> bytes:
        form = {"login": "viewer", "password": "viewer", "method": "easydb", self._text(): self._text()}
        name = self._random.choice(list(form))
        # A right password, or one that is wrong: several of these block the log-in, which is meant as well.
        body = "&".join(
            f"{_quoted(key)}={_quoted(value)}" for key, value in (form | {name: self._text()}).items()
        )
        return self._made(
            "POST", "session/authenticate", {}, body.encode(), "application/x-www-form-urlencoded"
        )

    def _save(self) -> bytes:
        return self._made("POST", "schema/user/HEAD", {}, self._json(self._head))

    def _commit(self) -> bytes:
        return self._made("POST", "schema/commit", {})

    def _names(self) -> bytes:
        return self._made("POST", "l10n/user/HEAD", {}, self._json({"schema.work.name": {"de-DE": "Werk"}}))

    def _made(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: bytes = b"",
        media: str = "application/json",
    ) -> bytes:
        if self._random.random() < 0.03:
            method = self._random.choice(("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"))
        if self._random.random() < 0.03:
            media = self._random.choice(
                ("text/xml", "", "application/json; charset=x", "multipart/form-data")
            )
        token = self._token if self._random.random() < 0.97 else self._text()
        written = "&".join(f"{name}={_quoted(value)}" for name, value in (query | {"token": token}).items())
        lines = [f"{method} /api/v1/{path}?{written} HTTP/1.1", "Host: localhost", f"Content-Type: {media}"]
        return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body

    def _path(self) -> str:
        path = self._random.choice(PATHS)
        if self._random.random() < 0.3:
            parts = path.split("/")
            parts[self._random.randrange(len(parts))] = _quoted(self._text())
            path = "/".join(parts)
        return path

    def _query(self) -> dict[str, str]:
        names = self._random.sample(list(QUERY), self._random.randrange(6))
        given = {name: QUERY[name] for name in names}
        if names and self._random.random() < 0.7:
            given[self._random.choice(names)] = self._text()
        if self._random.random() < 0.05:
            given[_quoted(self._text())] = self._text()
        return given

    def _text(self) -> str:
        return self._random.choice(TEXTS)

    def _json(self, value: Any) -> bytes:
        value = deepcopy(value)
        for _ in range(self._random.randrange(4)):
            value = self._mutated(value)
        written = json.dumps(value).encode()
        if self._random.random() < 0.05:
            written = written[: self._random.randrange(len(written) + 1)]
        return written

    def _mutated(self, value: Any) -> Any:
        """A value with a part replaced, removed or repeated."""
        holders: list[Any] = [value] if isinstance(value, dict | list) else []
        for each in holders:
            inner = each.values() if isinstance(each, dict) else each
            holders.extend(part for part in inner if isinstance(part, dict | list) and part)
        holder: Any = self._random.choice(holders) if holders else None
        if not holder or self._random.random() < 0.02:
            return self._random.choice((*VALUES, _DEEP))
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key, other = self._random.choice(keys), self._random.choice(keys)
        match self._random.randrange(5):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(deepcopy(holder[key]))
            case 2:
                holder[key] = deepcopy(holder[other])
            case _:
                holder[key] = deepcopy(self._random.choice(VALUES))
        return value


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


class _Caller:
    """Sends requests as bytes over consecutive connections."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self._place = str(place.hostname), int(place.port or 0)
        self._connection: socket.socket | None = None
        self.seconds: list[float] = []  # of each answer

    def answered(self, sent: bytes) -> bytes:
        """The status of the response to a complete request."""
        began = time.perf_counter()
        with self._connected().makefile("rb") as answer:
            try:
                self._connected().sendall(sent)
                first = answer.readline()
                headers = dict(line.lower().split(b": ", 1) for line in iter(answer.readline, b"\r\n"))
                if not sent.startswith(b"HEAD"):
                    answer.read(int(headers[b"content-length"]))
            except (ConnectionError, IndexError, ValueError) as error:
                raise AssertionError(f"no answer to {sent[:300]!r}: {error!r}") from error
        self.seconds.append(time.perf_counter() - began)
        if b"close" in headers.get(b"connection", b""):
            self.close()
        return first.split()[1]

    def survived(self, sent: bytes) -> bytes:
        """The status of the response, if there is one, before the server closes the connection."""
        began, received = time.perf_counter(), b""
        with socket.create_connection(self._place, timeout=30) as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65_536):
                    received = received or part
            except ConnectionError:
                pass
        self.seconds.append(time.perf_counter() - began)
        return received.split()[1] if received.startswith(b"HTTP/1.1 ") else b""

    def close(self) -> None:
        """Closes the connection; the next request opens a new one."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _connected(self) -> socket.socket:
        if self._connection is None:
            self._connection = socket.create_connection(self._place, timeout=30)
        return self._connection


def _sign_in(url: str) -> str:
    token: str = httpx.get(f"{url}/api/v1/session").json()["token"]
    form = {"login": "root", "password": "admin"}
    answer = httpx.post(f"{url}/api/v1/session/authenticate", params={"token": token}, data=form)
    assert answer.status_code == 200, answer.text
    return token


def _memory(pid: int) -> float:
    """The memory of a process in megabytes."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) / 1024


def _run(store: Store, count: int, workers: int = 1) -> tuple[Counter[bytes], float, list[float]]:
    """Counts of the statuses, the slowest response by the median, and the memory after each tenth of them."""
    statuses: Counter[bytes] = Counter()
    memory = []
    options = ("--demo", "--demo-events", "300", "--workers", str(workers))
    with started(store.url, *options) as (process, url), ExitStack() as until_then:
        caller, turn = until_then.enter_context(closing(_Caller(url))), max(count // 100, 100)
        # Before any mutated log-in, since failures delay all log-ins from this address.
        tokens = [_sign_in(url) for _ in range(0, count, turn)]
        for number in range(count):
            if number % turn == 0:
                token = tokens[number // turn]
                head = httpx.get(
                    f"{url}/api/v1/schema/user/HEAD", params={"token": token, "format": "json", "pretty": "0"}
                ).json()
                mutations = Mutations(number, token, head if number % (2 * turn) else museum())
            if number % 10 == 9:
                sent = mutations.damaged()
                status = caller.survived(sent)
            else:
                sent = mutations.request()
                status = caller.answered(sent)
            assert not status.startswith(b"5"), (number, status, sent[:2000])
            statuses[status] += 1
            if number % (count // 10) == count // 10 - 1 and Path("/proc").exists():
                memory.append(_memory(process.pid))
        assert httpx.get(f"{url}/api/v1/settings").status_code == 200
        signal_end(process)
    return statuses, max(caller.seconds) / median(caller.seconds), memory


def test_some_mutated_requests(store: Store) -> None:
    """No request causes a fault, and every complete one is answered."""
    statuses, _, _ = _run(store, 300)
    assert statuses[b"200"] > 25
    assert statuses[b"400"] > 25


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("workers", [1, 4])
def test_a_hundred_thousand_mutated_requests(store: Store, workers: int, record_property: Any) -> None:
    """No response is slow, and the memory of a single process does not grow."""
    statuses, slowest, memory = _run(store, 100_000, workers)
    record_property("statuses", {status.decode(): count for status, count in statuses.items()})
    record_property("slowest", slowest)
    record_property("memory", memory)
    print(dict(statuses), f"slowest {slowest:.0f} times", [f"{each:.0f} MB" for each in memory])  # noqa: T201
    assert slowest < 1000
    if memory and workers == 1:
        assert max(memory[5:]) < max(memory[1:5]) + 25
