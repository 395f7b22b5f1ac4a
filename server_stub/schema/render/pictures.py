"""Schema documents as SVG and PNG through Graphviz in a child process (wire §5).

Every call is answered within `LIMIT_SECONDS`. What takes Graphviz too long is drawn in a simpler layout, and
the title of the picture says so.
"""

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
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import msgspec
from graphviz import Digraph

from server_stub.foundation.errors import ServerError
from server_stub.foundation.resources import HELPER, is_frozen
from server_stub.schema.document.model import (
    Column,
    Family,
    ForeignKey,
    NestedLink,
    Reference,
    ReverseLink,
    Schema,
    Table,
    read_schema,
)

_LOG = logging.getLogger(__name__)


class _Attempt(msgspec.Struct, frozen=True):
    """A way to draw a schema, with a time limit."""

    seconds: float
    engine: str = "dot"
    is_simple: bool = False


class _GraphvizError(Exception):
    """Graphviz cannot be started or ended with an error."""


# A call waits at most this long for its turn and its picture, in seconds.
LIMIT_SECONDS = 25.0
# Most schemas take a second. With many links between many tables, ordering and routing can take minutes: then
# we try less search and straight lines, and if that takes too long, rows of tables: even a busy machine draws
# them in time.
_ATTEMPTS = (_Attempt(5), _Attempt(5, is_simple=True), _Attempt(15, "osage", is_simple=True))
# Said by a `dot` of systems that package other engines apart, such as Debian 14.
_NO_ENGINE = "Use one of"
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
_LESS_URGENT = 5
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
            picture = _graphviz(form, attempt.engine, source, seconds)
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


def _graphviz(form: str, engine: str, source: str, seconds: float) -> bytes:
    """The output of the system's `dot`; of that inside pygraphviz if it is missing or lacks the engine.

    Raises like `_run`.
    """
    if is_frozen():
        helper = [sys.executable, HELPER, form, engine]
    else:
        # -P: modules in the helper's folder must not hide modules of the same name.
        helper = [sys.executable, "-P", str(_HELPER), form, engine]
    dot = shutil.which("dot")
    if dot is None:
        return _run(helper, source, seconds)
    try:
        return _run([dot, f"-K{engine}", f"-T{form}"], source, seconds)
    except _GraphvizError as error:
        if _NO_ENGINE not in str(error):
            raise
        return _run(helper, source, seconds)


# The title of a picture that is simpler than usual.
SIMPLE_TITLE = "schema (simplified layout)"

_FONT = "DejaVu Sans"

# The colors of all pictures.
TEXT = "#1B1F24"
MUTED = "#57606A"
ACCENT = "#1F5FBF"
RULE = "#C4CCD6"
GROUND = "#FFFFFF"
RAISED = "#F6F7F9"

# Above this number of tables, optimising positions takes most of the time and is hardly visible.
_MANY = 200
_LESS_SEARCH = {"nslimit": "0.5", "nslimit1": "0.5", "mclimit": "0.2", "searchsize": "10"}
_LEAST_SEARCH = {"nslimit": "0.2", "nslimit1": "0.2", "mclimit": "0.1", "searchsize": "5", "splines": "line"}
# Sharp on every screen; at most 50 inches, since a bitmap of a large model costs seconds and gigabytes.
_BITMAP = {"dpi": "144", "size": "50,50"}


def to_dot(schema: Schema, *, bitmap: bool = False, is_simple: bool = False) -> str:
    """The source for Graphviz; ids `t<table_id>`, `c<column_id>` and `l<column_id>` for links.

    `is_simple` means less search and straight lines, which take a tenth of the time or less.
    """
    graph = Digraph(
        SIMPLE_TITLE if is_simple else "schema",
        graph_attr={
            "rankdir": "LR",
            "bgcolor": GROUND,
            "pad": "0.3",
            "nodesep": "0.3",
            "ranksep": "1.1",
            "pack": "24",
            "packmode": "array_c4",
            "fontname": _FONT,
        },
        node_attr={"shape": "plain", "fontname": _FONT, "fontsize": "10"},
        edge_attr={"color": MUTED, "penwidth": "1.1", "arrowsize": "0.7", "dir": "both"},
    )
    if is_simple:
        graph.attr(**_LEAST_SEARCH)
    elif len(schema.tables) > _MANY:
        graph.attr(**_LESS_SEARCH)
    if bitmap:
        graph.attr(**_BITMAP)
    label = TableLabel(schema)
    for table in schema.tables:
        if table.owner_id is None:
            graph.node(f"t{table.id}", label.text(table), id=f"t{table.id}")
    for table, column, key in _links(schema):
        graph.edge(*_ends(schema, table, column, key), id=f"l{column.id}", **_arrows(table, column))
    return str(graph.source)


def _links(schema: Schema) -> Iterator[tuple[Table, Column, ForeignKey]]:
    for table in schema.tables:
        for column in table.columns:
            if column.family is Family.LINK:
                for key in table.links_of(column):
                    yield table, column, key


def _ends(schema: Schema, table: Table, column: Column, key: ForeignKey) -> tuple[str, str]:
    target = schema.tables_by_id[key.table_id]
    source_node, target_node = schema.root_of(table).id, schema.root_of(target).id
    side = "e" if source_node == target_node else "w"
    return f"t{source_node}:c{column.id}:e", f"t{target_node}:t{target.id}:{side}"


def _arrows(table: Table, column: Column) -> dict[str, str]:
    """Crow's feet: how many rows link to one, and whether each must link to one."""
    is_unique = any(key.columns == (Reference(column.id),) for key in table.unique_keys)
    return {
        "arrowtail": "teeodot" if is_unique else "crowodot",
        "arrowhead": "teetee" if column.not_null else "teeodot",
    }


# Graphviz pads cells equally on all sides; non-breaking spaces widen them.
_GAP = "&#160;"

# The captions of tables with properties.
FLAGS = {
    "is_hierarchical": "hierarchical",
    "pool_link": "in pools",
    "has_tags": "tags",
    "acl_table": "rights",
}


class TableLabel(msgspec.Struct, frozen=True):
    """Writes the label of a top-level table of a schema."""

    schema: Schema

    def text(self, table: Table) -> str:
        """The label with a port `t<id>` at each table's head and `c<id>` at each column's end."""
        return f"<{self._table(table)}>"

    def _table(self, table: Table) -> str:
        inner = table.owner_id is not None
        ground = RAISED if inner else GROUND
        rows = "".join(self._rows(table))
        anchor = f' ID="t{table.id}" HREF="#t{table.id}" TITLE="{escape(table.name)}"' if inner else ""
        return (
            f'<TABLE BORDER="1" COLOR="{RULE}" BGCOLOR="{ground}" CELLBORDER="0" CELLSPACING="0" '
            f'CELLPADDING="4" STYLE="ROUNDED"{anchor}>{rows}</TABLE>'
        )

    def _rows(self, table: Table) -> Iterator[str]:
        yield _head(table)
        # A rule without a following row is an error in Graphviz.
        if table.owner_id is None or table.members:
            yield "<HR/>"
        if table.owner_id is None:
            yield _row(_font("_id", MUTED) + _mark("PK"), _font("id", MUTED, 9))
        for member in table.members:
            match member:
                case Column():
                    yield self._column(table, member)
                case NestedLink():
                    nested = self._table(self.schema.tables_by_id[member.table_id])
                    yield f'<TR><TD COLSPAN="2" CELLPADDING="5">{nested}</TD></TR>'
                case ReverseLink():
                    yield self._reverse_link(member)

    def _column(self, table: Table, column: Column) -> str:
        name = f"<B>{escape(column.name)}</B>" if column.not_null else escape(column.name)
        detail = f"{table.name}.{column.name}: {column.type}" + (", required" if column.not_null else "")
        attributes = f' ID="c{column.id}" HREF="#c{column.id}" TITLE="{escape(detail)}"'
        text = _font(name, TEXT) + (_mark("U") if is_unique(table, column) else "")
        return _row(text, self._type(table, column), attributes, f' PORT="c{column.id}"')

    def _type(self, table: Table, column: Column) -> str:
        if column.family is not Family.LINK:
            return _font(escape(column.type), MUTED, 9)
        targets = [self.schema.tables_by_id[key.table_id].name for key in table.links_of(column)]
        return _font(f"→ {escape(', '.join(targets))}", ACCENT, 9)

    def _reverse_link(self, link: ReverseLink) -> str:
        other = self.schema.tables_by_id[link.table_id]
        name = f"{other.name}.{other.columns_by_id[link.column_id].name}"
        return _row(_font(f"<I>{escape(name)}</I>", MUTED), _font("← edited here", MUTED, 9))


def _head(table: Table) -> str:
    shown = [label for flag, label in FLAGS.items() if flag in table.flags]
    caption = " · ".join(shown)
    size = 12 if table.owner_id is None else 10
    name = _font(f"<B>{escape(table.name)}</B>", ACCENT if table.owner_id is None else TEXT, size)
    below = f'<BR ALIGN="LEFT"/>{_font(caption, MUTED, 8)}' if caption else ""
    return (
        f'<TR><TD COLSPAN="2" ALIGN="LEFT" BALIGN="LEFT" PORT="t{table.id}" CELLPADDING="6">'
        f'{name}{below}<BR ALIGN="LEFT"/></TD></TR>'
    )


def _row(name: str, kind: str, name_attributes: str = "", kind_attributes: str = "") -> str:
    return (
        f'<TR><TD ALIGN="LEFT"{name_attributes}>{_GAP}{name}</TD>'
        f'<TD ALIGN="RIGHT"{kind_attributes}>{_GAP}{kind}{_GAP}</TD></TR>'
    )


def _mark(text: str) -> str:
    return f"{_GAP}{_font(f'<B>{text}</B>', ACCENT, 7)}"


def _font(text: str, color: str, size: int = 10) -> str:
    return f'<FONT COLOR="{color}" POINT-SIZE="{size}">{text}</FONT>'


def is_unique(table: Table, column: Column) -> bool:
    """Whether a unique key contains a column."""
    return any(column.id == reference.column for key in table.unique_keys for reference in key.columns)
