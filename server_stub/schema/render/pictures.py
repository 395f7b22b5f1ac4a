"""Schema documents as SVG and PNG through Graphviz in a child process (wire §5).

Every call is answered within `LIMIT_SECONDS`. What takes Graphviz too long is drawn in a simpler layout, and
the title of the picture says so.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from server_stub.foundation.errors import ServerError
from server_stub.foundation.resources import HELPER, is_frozen
from server_stub.schema.document.model import Schema, read_schema
from server_stub.schema.render.dot import to_dot

_LOG = logging.getLogger(__name__)


class _Attempt(msgspec.Struct, frozen=True):
    """A way to draw a schema, with a time limit."""

    seconds: float
    engine: str = "dot"
    is_simple: bool = False


class _GraphvizError(Exception):
    """Graphviz cannot be started or ended with an error."""


# A call waits at most this long for its turn and its picture, in seconds.
LIMIT_SECONDS = 10.0
# Most schemas take a second. With many links between many tables, ordering and routing can take minutes: then
# we try less search and straight lines, and if that takes too long, rows of tables.
_ATTEMPTS = (_Attempt(4), _Attempt(3, is_simple=True), _Attempt(3, "osage", is_simple=True))
# Windows opens one for a console program otherwise, if this process has none.
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)
# Graphviz needs a whole processor.
_DRAWING = max(1, (os.cpu_count() or 1) // 2)
_WAITING = 8
# At most so many threads wait at a time; a pool of so many threads never delays a refusal.
MOST_THREADS = _DRAWING + _WAITING + 1
_HELPER = Path(__file__).with_name("helper.py")
# Graphviz puts `a_` before the ids of cells in a label.
_CELL_ID = re.compile(rb'id="a_([tc]\d+)"')
_KEPT_PICTURES = 8
# A simpler picture is cached for a limited time, since the machine may have been busy.
_SIMPLE_SECONDS = 60.0
# The priority of a drawing: the server's other answers go first.
_LESS_URGENT = 10
_TOO_LONG = "it takes too long"


def to_svg(document: Mapping[str, Any]) -> bytes:
    """An SVG whose elements have the ids `t<table_id>`, `c<column_id>` and `l<column_id>`."""
    return _pictures.picture(document, "svg")


def to_png(document: Mapping[str, Any]) -> bytes:
    """A PNG of the same picture."""
    return _pictures.picture(document, "png")


_Key = tuple[bytes, str]


class _Pictures:
    """The last pictures, by the digest of their document; requests for the same picture share one drawing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: OrderedDict[_Key, Future[bytes]] = OrderedDict()
        # The calls that draw, wait for their turn, or wait for the same picture as another.
        self._calls = 0
        self._turns = threading.Semaphore(_DRAWING)

    def picture(self, document: Mapping[str, Any], form: str) -> bytes:
        """The picture of a document. Raises ServerError."""
        deadline = time.monotonic() + LIMIT_SECONDS
        key = sha256(msgspec.json.encode(document)).digest(), form
        with self._lock:
            known = self._drawn.get(key)
            if known is not None and known.done():
                self._drawn.move_to_end(key)
                return known.result()
            is_too_much = self._calls >= _DRAWING + _WAITING
            if not is_too_much:
                self._calls += 1
                future = self._drawn.setdefault(key, Future())
                if len(self._drawn) > _KEPT_PICTURES:
                    self._drawn.popitem(last=False)
        if is_too_much:
            raise _failure("too many others wait")
        try:
            if known is None:
                self._draw(document, key, future, deadline)
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            raise _failure(_TOO_LONG) from None
        finally:
            with self._lock:
                self._calls -= 1

    def _draw(self, document: Mapping[str, Any], key: _Key, future: Future[bytes], deadline: float) -> None:
        """Gives the future its picture, and forgets it unless the next request should get the same."""
        picture: bytes | None = None
        kept_seconds: float | None = 0
        try:
            if self._turns.acquire(timeout=max(0.0, deadline - time.monotonic())):
                try:
                    picture, kept_seconds = _drawn(read_schema(document), key[1], deadline)
                finally:
                    self._turns.release()
        except BaseException as error:  # noqa: BLE001 - passed on to all waiting requests
            future.set_exception(error)
        else:
            if picture is None:
                future.set_exception(_failure(_TOO_LONG))
            else:
                future.set_result(picture)
        if kept_seconds == 0:
            self._forget(key, future)
        elif kept_seconds is not None:
            timer = threading.Timer(kept_seconds, self._forget, (key, future))
            timer.daemon = True
            timer.start()

    def _forget(self, key: _Key, future: Future[bytes]) -> None:
        with self._lock:
            if self._drawn.get(key) is future:
                del self._drawn[key]


_pictures = _Pictures()


def _failure(reason: str) -> ServerError:
    return ServerError("generic", f"The schema is not drawn: {reason}.")


def _drawn(schema: Schema, form: str, deadline: float) -> tuple[bytes | None, float | None]:
    """The picture, None if it takes too long, and for how many seconds that is valid (None: for ever)."""
    for attempt in _ATTEMPTS:
        seconds = min(attempt.seconds, deadline - time.monotonic())
        if seconds <= 0:
            break
        source = to_dot(schema, bitmap=form == "png", is_simple=attempt.is_simple)
        try:
            picture = _run(_command(form, attempt.engine), source, seconds)
        except subprocess.TimeoutExpired:
            _LOG.warning("A schema takes more than %.1f seconds to draw", seconds)
        except _GraphvizError as error:
            raise _failure(str(error)) from error
        else:
            if form == "svg":
                picture = _CELL_ID.sub(rb'id="\1"', picture)
            return picture, _SIMPLE_SECONDS if attempt.is_simple else None
    return None, _SIMPLE_SECONDS


def _run(command: list[str], source: str, seconds: float) -> bytes:
    """The output of a program; raises _GraphvizError or, after killing it, TimeoutExpired."""
    pipe, is_posix = subprocess.PIPE, os.name == "posix"
    try:
        # In a session of its own, so that it is killed together with the programs that it starts.
        child = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=is_posix,
            creationflags=_NO_CONSOLE,
        )
    except OSError as error:
        raise _GraphvizError(f"Graphviz could not be started: {error}") from error
    with child:
        try:
            if sys.platform != "win32":
                with suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, child.pid, _LESS_URGENT)
            output, errors = child.communicate(source.encode(), seconds)
        except BaseException:
            _kill(child)
            raise
    if child.returncode != 0 or not output:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        raise _GraphvizError(f"Graphviz failed: {' '.join(last) or child.returncode}")
    return output


def _kill(child: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        child.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    # Whatever it wrote is not read.
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def _command(form: str, engine: str) -> list[str]:
    """The system's `dot`, or our helper program around the Graphviz inside pygraphviz."""
    dot = shutil.which("dot")
    if dot is not None:
        return [dot, f"-K{engine}", f"-T{form}"]
    if is_frozen():
        return [sys.executable, HELPER, form, engine]
    # -P: modules in the helper's folder must not hide modules of the same name.
    return [sys.executable, "-P", str(_HELPER), form, engine]
