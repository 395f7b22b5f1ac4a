"""Notices that a PostgreSQL server does not answer, although its connections seem to be open.

The system of a frozen server goes on to acknowledge what it is sent, so that neither limits of TCP nor those
that the server itself applies end the waiting.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

log = logging.getLogger(__name__)

# How long a statement may take before a question is asked besides, and how long that may be unanswered.
_PATIENCE_SECONDS = 1.0
_SILENT_SECONDS = 4.0
# The same for reads that a standby can answer as well.
_HURRIED_SECONDS = 0.2
_DOUBT_SECONDS = 0.3
# Between two questions, and from the last interest in an answer to the end of the questions.
_PAUSE_SECONDS = 0.25
_INTEREST_SECONDS = 10.0
_USUAL_PORT = "5432"
_SILENCE = "the database does not answer"
# Its threads wait only for servers that are not silent, be it the primary or a standby.
_hurried = threading.local()


class Liveness:
    """Asks a database whether it answers, on a connection of its own, while somebody wants to know.

    Statements of the engine's connections end with an error when they wait in vain, and no new connections
    are made until the database answers again. Times are those of the monotonic clock.
    """

    def __init__(self, engine: Engine, connect_arguments: Mapping[str, str]) -> None:
        self._dialect = engine.dialect
        self._url = engine.url
        self._connect_arguments = connect_arguments
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._wanted = self._pressing = 0.0
        # When the present question was asked, the last one with an answer, and one without since then.
        self._asked: float | None = None
        self._answered: float | None = None
        self._failed: float | None = None
        self._doubted_until = 0.0
        # Host and port of the server that has answered last, of several ones in the address.
        self.answering: tuple[str, str] | None = None
        event.listen(engine, "do_connect", self._open)
        event.listen(engine, "connect", self._watch)

    @property
    def is_silent(self) -> bool:
        """Whether the last question had no answer, or has none yet, though for a while; asks none."""
        asked, now = self._asked, time.monotonic()
        is_late = asked is not None and now > asked + _DOUBT_SECONDS
        return is_late or self._failed is not None or now < self._doubted_until

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """A block in which this thread waits for each database only while that is not silent."""
        with self._changed:
            self._want()
        _hurried.is_on = True
        try:
            yield
        finally:
            _hurried.is_on = False

    def answers(self, seconds: float) -> bool:
        """Whether the database answers within some seconds; if not, it counts as silent for a second."""
        until = (now := time.monotonic()) + seconds
        with self._changed:
            self._want()
            self._pressing = now
            self._changed.notify_all()
            while self._answered is None or self._answered < now:
                left = until - time.monotonic()
                is_waiting = self._asked is not None and self._asked < now - seconds
                if self._failed is not None or is_waiting or left <= 0:
                    self._doubted_until = time.monotonic() + 1
                    return False
                self._changed.wait(left)
        return True

    def close(self) -> None:
        """Ends the questions."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if (thread := self._thread) is not None:
            thread.join()

    def _want(self) -> None:
        self._wanted = time.monotonic()
        if self._thread is None and not self._is_closed:
            self._thread = threading.Thread(target=self._ask, name="liveness", daemon=True)
            self._thread.start()

    def _ask(self) -> None:
        """Asks again and again."""
        driver: Any = None
        while (began := self._begin()) is not None:
            try:
                driver = driver or self._connect()
                driver.execute("SELECT 1")
            except self._dialect.loaded_dbapi.Error as error:
                if self._failed is None:
                    log.warning("The database does not answer: %s", str(error).partition("\n")[0])
                if driver is not None:
                    driver.close()
                driver = None
                self._end(began, is_answered=False)
            else:
                self._end(began, is_answered=True)
        if driver is not None:
            driver.close()

    def _connect(self) -> Any:
        arguments, options = self._dialect.create_connect_args(self._url)
        more = {"autocommit": True, "prepare_threshold": None}
        self._begin_with_answering(options)
        driver: Any = self._dialect.connect(*arguments, **{**options, **self._connect_arguments, **more})
        self.answering = driver.info.host, str(driver.info.port)
        self._limit(driver, lambda began: time.monotonic() > began + _SILENT_SECONDS)
        return driver

    def _begin(self) -> float | None:
        """When a question begins, which is now; None if nobody wants to know the answer any more."""
        with self._changed:
            is_wanted = self._failed is not None or time.monotonic() < self._wanted + _INTEREST_SECONDS
            if self._is_closed or not is_wanted:
                self._thread = None
                return None
            self._asked = time.monotonic()
            return self._asked

    def _end(self, began: float, *, is_answered: bool) -> None:
        with self._changed:
            self._asked = None
            if is_answered:
                self._answered, self._failed, self._doubted_until = began, None, 0.0
            else:
                self._failed = began
            self._changed.notify_all()
            if self._pressing <= began:
                self._changed.wait(_PAUSE_SECONDS)

    # The connections of the engine

    def _open(self, _: object, __: object, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
        is_hurried = getattr(_hurried, "is_on", False)
        if self._failed is not None or (is_hurried and not self.answers(_DOUBT_SECONDS)):
            raise self._dialect.loaded_dbapi.OperationalError(_SILENCE)
        self._begin_with_answering(options)
        try:
            return self._dialect.connect(*arguments, **options)
        except self._dialect.loaded_dbapi.Error:
            # If it is away, those who come next need not try in vain.
            with self._changed:
                self._want()
                self._pressing = time.monotonic()
                self._changed.notify_all()
            raise

    def _begin_with_answering(self, options: MutableMapping[str, Any]) -> None:
        """Lets a connection be tried with the server first that has answered last.

        Otherwise each would wait for one that is frozen.
        """
        names, ports = (str(options.get(each, "")).split(",") for each in ("host", "port"))
        if self.answering is None or len(names) != len(ports) or len(names) == 1:
            return
        servers = zip(names, (port or _USUAL_PORT for port in ports), strict=True)
        ordered = sorted(servers, key=lambda server: server != self.answering)
        options["host"], options["port"] = map(",".join, zip(*ordered, strict=True))

    def _watch(self, driver: Any, _: object) -> None:
        opened = time.monotonic()
        self.answering = driver.info.host, str(driver.info.port)

        def is_vain(began: float) -> bool:
            is_hurried = getattr(_hurried, "is_on", False)
            patience = _HURRIED_SECONDS if is_hurried else _PATIENCE_SECONDS
            if time.monotonic() < began + patience and self._failed is None:
                return False
            with self._changed:
                self._want()
                if is_hurried and self.is_silent:
                    return True
                return self._failed is not None and self._failed > opened

        self._limit(driver, is_vain)

    def _limit(self, driver: Any, is_vain: Callable[[float], bool]) -> None:
        """Ends each wait of a connection that has become vain since it began."""
        wait = driver.wait
        error = self._dialect.loaded_dbapi.OperationalError

        def steps(waiting: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            began = time.monotonic()
            try:
                state = next(waiting)
                while True:
                    ready = yield state
                    if not ready and is_vain(began):
                        driver.close()
                        raise error(_SILENCE)
                    state = waiting.send(ready)
            except StopIteration as end:
                return end.value

        def limited(waiting: Generator[Any, Any, Any], *more: Any, **options: Any) -> Any:
            return wait(steps(waiting), *more, **options)

        driver.wait = limited
