"""Schema documents as SVG and PNG through Graphviz in a child process (wire §5); knows no HTTP."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from server_stub.bundle import HELPER, is_frozen
from server_stub.errors import ServerError
from server_stub.schema.reading import read_schema
from server_stub.schema.render_dot import to_dot

_TIMEOUT = 10
_HELPER = Path(__file__).with_name("render_helper.py")
# Graphviz puts `a_` before the ids of cells in a label.
_CELL_ID = re.compile(rb'id="a_([tc]\d+)"')


def to_svg(document: Mapping[str, Any]) -> bytes:
    """An SVG whose elements have the ids `t<table_id>` and `c<column_id>`; raises ServerError."""
    return _CELL_ID.sub(rb'id="\1"', _draw(to_dot(read_schema(document)), "svg"))


def to_png(document: Mapping[str, Any]) -> bytes:
    """A PNG of the same picture; raises ServerError."""
    return _draw(to_dot(read_schema(document), bitmap=True), "png")


def _draw(source: str, form: str) -> bytes:
    try:
        done = subprocess.run(
            _command(form), input=source.encode(), capture_output=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _failure(f"Graphviz took more than {_TIMEOUT} seconds for this schema") from error
    except OSError as error:
        raise _failure(f"Graphviz could not be started: {error}") from error
    if done.returncode != 0 or not done.stdout:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise _failure(f"Graphviz failed: {' '.join(last) or done.returncode}")
    return done.stdout


def _command(form: str) -> list[str]:
    """A `dot` of the system, or our own program around the one inside pygraphviz."""
    dot = shutil.which("dot")
    if dot is not None:
        return [dot, f"-T{form}"]
    if is_frozen():
        return [sys.executable, HELPER, form]
    # -P: the folder of the program holds modules of ours whose names others may want.
    return [sys.executable, "-P", str(_HELPER), form]


def _failure(reason: str) -> ServerError:
    return ServerError("internal_file_error", f"The schema cannot be drawn. {reason}.")
