"""One call, made again and again in a thread, with its answers and how long they took."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit


class Acknowledged(NamedTuple):
    """An answer with status 200, and when it was asked for and read, in seconds of the monotonic clock."""

    began: float
    ended: float
    content: Any


class RepeatedCall(threading.Thread):
    """Makes a call again and again until `ends` is set.

    `faults` has the errors that `is_expected` does not accept, given status and content.
    """

    def __init__(
        self,
        url: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        is_expected: Callable[[int, Any], bool] = lambda _status, _content: False,
        **query: Any,
    ) -> None:
        super().__init__()
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=90)
        self._call = method, path, body, query
        self._is_expected = is_expected
        self._token: str | None = None
        self.ends = threading.Event()
        self.acknowledged: list[Acknowledged] = []
        self.statuses = Counter[int]()
        self.faults: list[object] = []

    def signed_in(self) -> RepeatedCall:
        """Begins a session of root."""
        self._token = self.call("GET", "session", None, {})[1]["token"]
        self.call("POST", "session/authenticate", None, {"login": "root", "password": "root"})
        return self

    def call(self, method: str, path: str, body: Any, query: dict[str, Any]) -> tuple[int, Any]:
        """Returns status and content of an answer, which is a JSON document in any case."""
        sent = query | {"pretty": 0} | ({"token": self._token} if self._token else {})
        content = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/v1/{path}?{urlencode(sent)}", content)
        answer = self._connection.getresponse()
        text = answer.read()
        assert str(answer.headers["content-type"]).startswith("application/json"), text
        return answer.status, json.loads(text)

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def run(self) -> None:
        try:
            while not self.ends.is_set():
                self._call_once()
        except Exception as error:  # noqa: BLE001 - the test shows it
            self.faults.append(error)
        finally:
            self.close()

    def _call_once(self) -> None:
        began = time.monotonic()
        status, content = self.call(*self._call)
        self.statuses[status] += 1
        if status == 200:
            self.acknowledged.append(Acknowledged(began, time.monotonic(), content))
        elif not self._is_expected(status, content):
            self.faults.append((self._call, status, content))


@contextmanager
def repeated(calls: Iterable[RepeatedCall]) -> Iterator[None]:
    """Makes the calls until the end of the block."""
    calls = list(calls)
    for call in calls:
        call.start()
    try:
        yield
    finally:
        for call in calls:
            call.ends.set()
        for call in calls:
            call.join(100)
