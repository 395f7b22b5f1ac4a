"""Schema documents as SVG and PNG through Graphviz in a child process (wire §5).

Every call gets a picture within `LIMIT_SECONDS`: if Graphviz takes longer or fails, or if too many calls
wait, it is the simpler layout, and the picture's title says so.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from html import escape
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import msgspec

from server_stub.foundation.resources import HELPER, is_frozen
from server_stub.schema.document.model import (
    Column,
    Family,
    NestedLink,
    ReverseLink,
    Schema,
    Table,
    read_schema,
)
from server_stub.schema.render.dot import (
    ACCENT,
    FLAGS,
    GROUND,
    MUTED,
    RAISED,
    RULE,
    SIMPLE_TITLE,
    TEXT,
    is_unique,
    to_dot,
)

_LOG = logging.getLogger(__name__)


class _Attempt(msgspec.Struct, frozen=True):
    """A way to draw a schema, with a time limit."""

    seconds: float
    is_simple: bool = False


class _GraphvizError(Exception):
    """Graphviz cannot be started or ended with an error."""


# A call waits at most this long for its turn and its picture, in seconds.
LIMIT_SECONDS = 10.0
# Most schemas take a second. With many links between many tables, ordering and routing can take minutes: then
# we try less search and straight lines, and if that takes too long, our own layout.
_ATTEMPTS = (_Attempt(4), _Attempt(3, is_simple=True))
# Windows opens one for a console program otherwise, if this process has none.
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)
# Graphviz needs a whole processor.
_DRAWING = max(1, (os.cpu_count() or 1) // 2)
_WAITING = 8
# At most so many threads wait at a time; a pool of so many threads never delays the simpler layout.
MOST_THREADS = _DRAWING + _WAITING + 1
_HELPER = Path(__file__).with_name("helper.py")
# Graphviz puts `a_` before the ids of cells in a label.
_CELL_ID = re.compile(rb'id="a_([tc]\d+)"')
_KEPT_PICTURES = 8
# A simpler picture is cached for a limited time, since the machine may have been busy.
_SIMPLE_SECONDS = 60.0
# The priority of a drawing: the server's other answers go first.
_LESS_URGENT = 10


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
        # Drawn one after the other, since they use this process.
        self._packing = threading.Lock()
        self._packed: OrderedDict[_Key, bytes] = OrderedDict()

    def picture(self, document: Mapping[str, Any], form: str) -> bytes:
        """The picture of a document."""
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
            _LOG.warning("Too many schemas are drawn; a caller gets the simpler layout")
            return self._simple(document, key)
        try:
            if known is None:
                self._draw(document, key, future, deadline)
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            return self._simple(document, key)
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
            future.set_result(self._simple(document, key) if picture is None else picture)
        except BaseException as error:  # noqa: BLE001 - passed on to all waiting requests
            future.set_exception(error)
        if kept_seconds == 0:
            self._forget(key, future)
        elif kept_seconds is not None:
            timer = threading.Timer(kept_seconds, self._forget, (key, future))
            timer.daemon = True
            timer.start()

    def _simple(self, document: Mapping[str, Any], key: _Key) -> bytes:
        with self._packing:
            if key not in self._packed:
                draw = packed_svg if key[1] == "svg" else packed_png
                self._packed[key] = draw(read_schema(document))
                if len(self._packed) > _KEPT_PICTURES:
                    self._packed.popitem(last=False)
            return self._packed[key]

    def _forget(self, key: _Key, future: Future[bytes]) -> None:
        with self._lock:
            if self._drawn.get(key) is future:
                del self._drawn[key]


_pictures = _Pictures()


def _drawn(schema: Schema, form: str, deadline: float) -> tuple[bytes | None, float | None]:
    """Graphviz's picture, or None, and for how many seconds the result is valid (None: for ever)."""
    for attempt in _ATTEMPTS:
        seconds = min(attempt.seconds, deadline - time.monotonic())
        if seconds <= 0:
            break
        source = to_dot(schema, bitmap=form == "png", is_simple=attempt.is_simple)
        try:
            picture = _run(_command(form), source, seconds)
        except subprocess.TimeoutExpired:
            _LOG.warning("A schema takes more than %.1f seconds to draw", seconds)
        except _GraphvizError as error:
            _LOG.warning("A schema is drawn in the simpler layout: %s", error)
            return None, 0
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


def _command(form: str) -> list[str]:
    """The system's `dot`, or our helper program around the Graphviz inside pygraphviz."""
    dot = shutil.which("dot")
    if dot is not None:
        return [dot, "-Kdot", f"-T{form}"]
    if is_frozen():
        return [sys.executable, HELPER, form, "dot"]
    # -P: modules in the helper's folder must not hide modules of the same name.
    return [sys.executable, "-P", str(_HELPER), form, "dot"]


CHARACTER = 6
LINE = 16
INDENT = 8
_MARGIN = 24
_BETWEEN_COLUMNS = 64
_BETWEEN_TABLES = 20
# Between the name and the type in a line, in characters.
_GAP = 3
# Width by height, as of most screens.
_ASPECT = 1.6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box: the head of a table, which covers `lines` lines, or a column of it."""

    depth: int
    table: Table
    left: str
    right: str = ""
    column: Column | None = None
    lines: int = 0

    @property
    def is_head(self) -> bool:
        """Whether the line is the head of a table."""
        return self.lines > 0


@dataclass(frozen=True, slots=True)
class Box:
    """A top-level table with its nested ones; its lines follow one another from the top."""

    x: int
    y: int
    width: int
    lines: tuple[Line, ...]

    @property
    def height(self) -> int:
        """The height of all lines."""
        return len(self.lines) * LINE


@dataclass(frozen=True, slots=True)
class Link:
    """The links of a column to one table: first right, then up or down, then to the target."""

    column_id: int
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PackedLayout:
    """Where everything is."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]


def pack(schema: Schema) -> PackedLayout:
    """Arranges all tables of a schema in the order of the document, from top to bottom in each column."""
    contents = [
        (_width(lines), lines)
        for table in schema.tables
        if table.owner_id is None and (lines := tuple(_lines(schema, table, 0)))
    ]
    area = sum(
        (width + _BETWEEN_COLUMNS) * (len(lines) * LINE + _BETWEEN_TABLES) for width, lines in contents
    )
    limit = sqrt(area / _ASPECT)
    boxes: list[Box] = []
    x = y = _MARGIN
    widest = 0
    for width, lines in contents:
        if y > limit:
            x, y, widest = x + widest + _BETWEEN_COLUMNS, _MARGIN, 0
        boxes.append(Box(x, y, width, lines))
        y += len(lines) * LINE + _BETWEEN_TABLES
        widest = max(widest, width)
    right = max((box.x + box.width for box in boxes), default=0)
    bottom = max((box.y + box.height for box in boxes), default=0)
    links = tuple(_links(boxes))
    return PackedLayout(right + _BETWEEN_COLUMNS, bottom + _MARGIN, tuple(boxes), links)


def _width(lines: tuple[Line, ...]) -> int:
    longest = max(
        line.depth * 2 * INDENT + (len(line.left) + len(line.right) + _GAP) * CHARACTER for line in lines
    )
    return longest + 2 * INDENT


def _lines(schema: Schema, table: Table, depth: int) -> Iterator[Line]:
    inner = tuple(_content(schema, table, depth))
    caption = ", ".join(label for flag, label in FLAGS.items() if flag in table.flags)
    yield Line(depth, table, table.name, caption, lines=len(inner) + 1)
    yield from inner


def _content(schema: Schema, table: Table, depth: int) -> Iterator[Line]:
    if table.owner_id is None:
        yield Line(depth, table, "_id", "id")
    for member in table.members:
        match member:
            case Column():
                name = member.name + (" U" if is_unique(table, member) else "")
                yield Line(depth, table, name, _type(schema, table, member), member)
            case NestedLink():
                yield from _lines(schema, schema.tables_by_id[member.table_id], depth + 1)
            case ReverseLink():
                other = schema.tables_by_id[member.table_id]
                name = f"{other.name}.{other.columns_by_id[member.column_id].name}"
                yield Line(depth, table, name, "← edited here")


def _type(schema: Schema, table: Table, column: Column) -> str:
    if column.family is not Family.LINK:
        return column.type
    return "→ " + ", ".join(schema.tables_by_id[key.table_id].name for key in table.links_of(column))


def _links(boxes: list[Box]) -> Iterator[Link]:
    heads = {
        line.table.id: (box, box.y + place * LINE + LINE // 2)
        for box in boxes
        for place, line in enumerate(box.lines)
        if line.is_head
    }
    for box in boxes:
        for place, line in enumerate(box.lines):
            if line.column is None or line.column.family is not Family.LINK:
                continue
            start = (box.x + box.width, box.y + place * LINE + LINE // 2)
            # Neighbouring vertical lines are kept apart.
            turn = start[0] + 8 + line.column.id % 12 * 4
            for key in line.table.links_of(line.column):
                target, y = heads[key.table_id]
                end = target.x if target.x > start[0] else target.x + target.width
                yield Link(line.column.id, (start, (turn, start[1]), (turn, y), (end, y)))


_PALETTE = (GROUND, RAISED, RULE, MUTED, ACCENT, TEXT)
# About 1,500 tables in full size; larger models are drawn smaller, at last without texts.
_MOST_PIXELS = 100_000_000
_SCALES = (2.0, 1.0, 0.5, 0.25, 0.125, 0.0625)
_BAND = 256
_TEXT_TOP = 4
_ROWS = 8
# The dots of each character: five columns of eight bits, the lowest bit on top.
_CHARACTERS = "".join(map(chr, range(32, 127))) + "←→"
_DOTS = bytes.fromhex(
    "000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500008070300"
    "001c2241000041221c002a1c7f1c2a08083e08080080703000080808080800006060002010080402"
    "3e5149453e00427f400072494949462141494d331814127f1027454545393c4a4949314121110907"
    "3649494936464949291e000014000000403400000008142241141414141400412214080201590906"
    "3e415d594e7c1211127c7f494949363e414141227f4141413e7f494949417f090909013e41415173"
    "7f0808087f00417f41002040413f017f081422417f404040407f021c027f7f0408107f3e4141413e"
    "7f090909063e4151215e7f09192946264949493203017f01033f4040403f1f2040201f3f4038403f"
    "631408146303047804036159494d43007f4141410204081020004141417f04020102044040404040"
    "000307080020545478407f284444383844444428384444287f385454541800087e090218a4a49c78"
    "7f0804047800447d40002040403d007f1028440000417f40007c047804787c080404783844444438"
    "fc1824241818242418fc7c08040408485454542404043f44243c4040207c1c2040201c3c4030403c"
    "44281028444c9090907c4464544c440008364100000077000000413608000201020402081c2a0808"
    "08082a1c08"
)


@dataclass(frozen=True, slots=True)
class _Fill:
    """A rectangle in pixels, filled with a color of the palette."""

    x: int
    y: int
    width: int
    height: int
    color: int


@dataclass(frozen=True, slots=True)
class _Text:
    """A line of text in pixels and its ground; `scale` is the size of a dot of its font."""

    x: int
    y: int
    text: str
    color: int
    ground: int
    scale: int

    @property
    def height(self) -> int:
        """The height of a character."""
        return _ROWS * self.scale


def packed_png(schema: Schema) -> bytes:
    """The picture, whose title says that it is the simpler one."""
    layout = pack(schema)
    scale = next(
        (each for each in _SCALES if layout.width * layout.height * each**2 <= _MOST_PIXELS), _SCALES[-1]
    )
    width, height = int(layout.width * scale), int(layout.height * scale)
    bands: dict[int, list[_Fill | _Text]] = defaultdict(list)
    for shape in _shapes(layout, scale):
        for band in range(shape.y // _BAND, (shape.y + shape.height - 1) // _BAND + 1):
            bands[band].append(shape)
    packer = zlib.compressobj(1)
    data = bytearray()
    for top in range(0, height, _BAND):
        data += packer.compress(_band(bands.get(top // _BAND, []), top, width, min(_BAND, height - top)))
    data += packer.flush()
    colors = b"".join(bytes.fromhex(color.removeprefix("#")) for color in _PALETTE)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, content)
        for kind, content in (
            (b"IHDR", header),
            (b"PLTE", colors),
            (b"tEXt", b"Title\0" + SIMPLE_TITLE.encode("latin-1")),
            (b"IDAT", bytes(data)),
            (b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _shapes(layout: PackedLayout, scale: float) -> Iterator[_Fill | _Text]:
    """Everything in the order in which it is drawn."""

    def fill(x: int, y: int, width: int, height: int, color: str) -> _Fill:
        wide, high = max(1, int(width * scale)), max(1, int(height * scale))
        return _Fill(int(x * scale), int(y * scale), wide, high, _PALETTE.index(color))

    border = max(1, int(scale))
    for link in layout.links:
        for (x, y), (to_x, to_y) in pairwise(link.points):
            yield fill(min(x, to_x), min(y, to_y), abs(to_x - x) or 1, abs(to_y - y) or 1, MUTED)
    for box in layout.boxes:
        for place, line in enumerate(box.lines):
            if line.is_head:
                x, y = box.x + line.depth * INDENT, box.y + place * LINE
                width, height = box.width - 2 * line.depth * INDENT, line.lines * LINE
                frame = fill(x, y, width, height, RULE)
                yield frame
                yield _Fill(
                    frame.x + border,
                    frame.y + border,
                    max(0, frame.width - 2 * border),
                    max(0, frame.height - 2 * border),
                    _PALETTE.index(RAISED if line.depth else GROUND),
                )
        if scale >= 1:
            yield from _texts(box, int(scale))


def _texts(box: Box, scale: int) -> Iterator[_Text]:
    for place, line in enumerate(box.lines):
        y = (box.y + place * LINE + _TEXT_TOP) * scale
        left = box.x + (line.depth + 1) * INDENT
        right = box.x + box.width - (line.depth + 1) * INDENT - len(line.right) * CHARACTER
        name = ACCENT if line.is_head and not line.depth else TEXT if line.is_head or line.column else MUTED
        kind = ACCENT if line.right.startswith("→") else MUTED
        ground = _PALETTE.index(RAISED if line.depth else GROUND)
        yield _Text(left * scale, y, line.left, _PALETTE.index(name), ground, scale)
        yield _Text(right * scale, y, line.right, _PALETTE.index(kind), ground, scale)


def _band(shapes: list[_Fill | _Text], top: int, width: int, height: int) -> bytes:
    """Rows of a picture; each begins with a zero, the PNG filter "none"."""
    stride = width + 1
    pixels = bytearray(stride * height)
    for shape in shapes:
        rows = range(max(shape.y, top), min(shape.y + shape.height, top + height))
        match shape:
            case _Fill():
                drawn = bytes((shape.color,)) * min(shape.width, width - shape.x)
                for y in rows:
                    start = (y - top) * stride + 1 + shape.x
                    pixels[start : start + len(drawn)] = drawn
            case _Text():
                glyphs = [_glyph(character, shape.scale) for character in shape.text]
                colors = bytes((shape.ground, shape.color)).ljust(256, b"\0")
                for y in rows:
                    row = (y - shape.y) // shape.scale
                    drawn = b"".join([glyph[row] for glyph in glyphs]).translate(colors)
                    start = (y - top) * stride + 1 + shape.x
                    pixels[start : start + len(drawn)] = drawn
    return bytes(pixels)


@lru_cache(maxsize=256)
def _glyph(character: str, scale: int) -> tuple[bytes, ...]:
    """The rows of a character, a byte for each pixel, with the space after it."""
    place = _CHARACTERS.find(character)
    dots = _DOTS[place * 5 : place * 5 + 5] if place >= 0 else b"\x7f" * 5
    columns = (*dots, *b"\0" * (CHARACTER - len(dots)))
    return tuple(b"".join(bytes((column >> row & 1,)) * scale for column in columns) for row in range(_ROWS))


_FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
_BASELINE = 11


def packed_svg(schema: Schema) -> bytes:
    """The picture, whose title says that it is the simpler one."""
    layout = pack(schema)
    width, height = layout.width, layout.height
    start = (
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{_FONT}" font-size="10">\n'
        f"<title>{SIMPLE_TITLE}</title>\n"
        f'<rect width="{width}" height="{height}" fill="{GROUND}"/>\n'
    )
    parts = [start, *_svg_links(layout.links)]
    for box in layout.boxes:
        parts.extend(_svg_box(box))
    parts.append("</svg>\n")
    return "".join(parts).encode()


def _svg_links(links: tuple[Link, ...]) -> Iterator[str]:
    paths: dict[int, list[str]] = {}
    for link in links:
        path = "M" + "L".join(f"{x},{y}" for x, y in link.points)
        paths.setdefault(link.column_id, []).append(path)
    for column_id, drawn in paths.items():
        path = f'<path fill="none" stroke="{MUTED}" d="{"".join(drawn)}"/>'
        yield f'<g id="l{column_id}" class="edge">{path}</g>\n'


def _svg_box(box: Box) -> Iterator[str]:
    """A table as a group with its lines; nested tables are groups within it."""
    open_until: list[int] = []
    for place, line in enumerate(box.lines):
        while open_until and place == open_until[-1]:
            open_until.pop()
            yield "</g>\n"
        y = box.y + place * LINE
        if line.is_head:
            open_until.append(place + line.lines)
            yield _head(box, line, y)
        elif line.column is None:
            yield _svg_texts(box, line, y) + "\n"
        else:
            detail = f"{line.table.name}.{line.column.name}: {line.column.type}"
            required = ", required" if line.column.not_null else ""
            title = f"<title>{escape(detail + required)}</title>"
            yield f'<g id="c{line.column.id}">{title}{_svg_texts(box, line, y)}</g>\n'
    yield "</g>\n" * len(open_until)


def _head(box: Box, line: Line, y: int) -> str:
    indent = line.depth * INDENT
    ground = RAISED if line.depth else GROUND
    kind = "nested" if line.depth else "node"
    return (
        f'<g id="t{line.table.id}" class="{kind}"><title>{escape(line.table.name)}</title>'
        f'<rect x="{box.x + indent}" y="{y}" width="{box.width - 2 * indent}" height="{line.lines * LINE}" '
        f'rx="3" fill="{ground}" stroke="{RULE}"/>{_svg_texts(box, line, y)}\n'
    )


def _svg_texts(box: Box, line: Line, y: int) -> str:
    left = box.x + line.depth * INDENT + INDENT
    right = box.x + box.width - line.depth * INDENT - INDENT
    is_link = line.right.startswith("→")
    name_color = ACCENT if line.is_head and not line.depth else TEXT if line.is_head or line.column else MUTED
    is_bold = line.is_head or (line.column is not None and line.column.not_null)
    bold = ' font-weight="bold"' if is_bold else ""
    texts = f'<text x="{left}" y="{y + _BASELINE}" fill="{name_color}"{bold}>{escape(line.left)}</text>'
    if line.right:
        color = ACCENT if is_link else MUTED
        at = f'x="{right}" y="{y + _BASELINE}"'
        texts += f'<text {at} fill="{color}" text-anchor="end">{escape(line.right)}</text>'
    return texts
