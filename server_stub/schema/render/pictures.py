"""Schema documents as SVG and PNG through Graphviz in a child process (wire §5)."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
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


# Most schemas take a second. With many links between many tables, ordering and routing can take minutes: then
# we try less search and straight lines, and if that takes too long, tables in rows.
_ATTEMPTS = (_Attempt(4), _Attempt(3, is_simple=True), _Attempt(10, "osage", is_simple=True))
_HELPER = Path(__file__).with_name("helper.py")
# Graphviz puts `a_` before the ids of cells in a label.
_CELL_ID = re.compile(rb'id="a_([tc]\d+)"')
_KEPT_PICTURES = 8
# A simpler picture is cached for a limited time, since the machine may have been busy.
_SIMPLE_SECONDS = 60


def to_svg(document: Mapping[str, Any]) -> bytes:
    """An SVG whose elements have the ids `t<table_id>` and `c<column_id>`; raises ServerError."""
    return _CELL_ID.sub(rb'id="\1"', _pictures.drawn(read_schema(document), "svg"))


def to_png(document: Mapping[str, Any]) -> bytes:
    """A PNG of the same picture; raises ServerError."""
    return _pictures.drawn(read_schema(document), "png")


class _PictureCache:
    """The last pictures; requests for the same picture share one drawing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: OrderedDict[tuple[str, str], Future[bytes]] = OrderedDict()

    def drawn(self, schema: Schema, form: str) -> bytes:
        """The picture of a schema. Raises ServerError."""
        key = (to_dot(schema, bitmap=form == "png"), form)
        with self._lock:
            known = self._drawn.get(key)
            future: Future[bytes] = known or Future()
            self._drawn[key] = future
            self._drawn.move_to_end(key)
            if len(self._drawn) > _KEPT_PICTURES:
                self._drawn.popitem(last=False)
        if known is None:
            self._draw(schema, key, future)
        return future.result()

    def _draw(self, schema: Schema, key: tuple[str, str], future: Future[bytes]) -> None:
        try:
            picture, is_simple = _draw(schema, *key)
        except BaseException as error:  # noqa: BLE001 - passed on to all waiting requests
            self._forget(key, future)
            future.set_exception(error)
            return
        future.set_result(picture)
        if is_simple:
            timer = threading.Timer(_SIMPLE_SECONDS, self._forget, (key, future))
            timer.daemon = True
            timer.start()

    def _forget(self, key: tuple[str, str], future: Future[bytes]) -> None:
        with self._lock:
            if self._drawn.get(key) is future:
                del self._drawn[key]


_pictures = _PictureCache()


def _draw(schema: Schema, source: str, form: str) -> tuple[bytes, bool]:
    """A picture, and whether it is a simplified one."""
    for attempt in _ATTEMPTS:
        drawn = to_dot(schema, bitmap=form == "png", is_simple=True) if attempt.is_simple else source
        try:
            return _run(_command(form, attempt.engine), drawn, attempt.seconds), attempt.is_simple
        except subprocess.TimeoutExpired:
            _LOG.warning("A schema takes more than %s seconds to draw", attempt.seconds)
    raise _failure(f"Graphviz took more than {_ATTEMPTS[-1].seconds} seconds for this schema")


def _run(command: list[str], source: str, seconds: float) -> bytes:
    try:
        done = subprocess.run(
            command, input=source.encode(), capture_output=True, timeout=seconds, check=False
        )
    except OSError as error:
        raise _failure(f"Graphviz could not be started: {error}") from error
    if done.returncode != 0 or not done.stdout:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise _failure(f"Graphviz failed: {' '.join(last) or done.returncode}")
    return done.stdout


def _command(form: str, engine: str) -> list[str]:
    """The system's `dot`, or our helper program around the Graphviz inside pygraphviz."""
    dot = shutil.which("dot")
    if dot is not None:
        return [dot, f"-K{engine}", f"-T{form}"]
    if is_frozen():
        return [sys.executable, HELPER, form, engine]
    # -P: modules in the helper's folder must not hide modules of the same name.
    return [sys.executable, "-P", str(_HELPER), form, engine]


def _failure(reason: str) -> ServerError:
    return ServerError("internal_file_error", f"The schema cannot be drawn. {reason}.")
