"""The simpler layout needs no other program: places, ids, and pictures in both formats."""

from __future__ import annotations

import re
import struct
import zlib
from itertools import combinations
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from server_stub.schema.document.model import Schema, read_schema
from server_stub.schema.render import pictures
from server_stub.schema.render.pictures import Box, pack, packed_png, packed_svg
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import column, document, foreign_key, museum, table


def _schema(content: dict[str, Any]) -> Schema:
    return read_schema(new_head(content, None, None))


def _chain(tables: int) -> Schema:
    """Tables of different sizes, each of which links to another."""
    made = [
        table(
            f"table{number:04}",
            *(column(f"c{each}") for each in range(number % 7)),
            column("next", "link"),
            foreign_keys=[foreign_key("next", f"table{number * 7 % tables:04}")],
        )
        for number in range(tables)
    ]
    return _schema(document(*made))


def _overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@pytest.mark.parametrize("tables", [1, 2, 60])
def test_tables_do_not_overlap(tables: int) -> None:
    """Every top-level table has its own place within the picture, which is not much wider than high."""
    layout = pack(_chain(tables))
    assert len(layout.boxes) == tables
    assert not any(_overlap(one, other) for one, other in combinations(layout.boxes, 2))
    assert all(box.x > 0 and box.x + box.width < layout.width for box in layout.boxes)
    assert all(box.y > 0 and box.y + box.height < layout.height for box in layout.boxes)
    assert tables < 60 or 0.5 < layout.width / layout.height < 4


def test_links_lead_from_their_column_to_the_head_of_the_target() -> None:
    """They begin and end at the sides of boxes, at the height of the line."""
    schema = _chain(20)
    layout = pack(schema)
    boxes = {box.lines[0].table.id: box for box in layout.boxes}
    owners = {each.id: (one, each) for one in schema.tables for each in one.columns}
    assert len(layout.links) == 20
    for link in layout.links:
        table_of, column_of = owners[link.column_id]
        source, target = boxes[table_of.id], boxes[table_of.links_of(column_of)[0].table_id]
        (start_x, start_y), (end_x, end_y) = link.points[0], link.points[-1]
        line = next(line for line in source.lines if line.column is column_of)
        assert start_x == source.x + source.width
        assert (start_y - source.y) // 16 == source.lines.index(line)
        assert end_x in (target.x, target.x + target.width)
        assert 0 < end_y - target.y < 16


def test_the_svg_has_the_ids_of_other_pictures() -> None:
    """Ids of tables, columns and links occur once each, and the title says that the layout is simpler."""
    picture = packed_svg(_schema(museum())).decode()
    root = ET.fromstring(picture)  # noqa: S314 - drawn here
    assert root[0].text == "schema (simplified layout)"
    ids = re.findall(r'id="([tcl]\d+)"', picture)
    assert sorted(ids) == sorted(
        {*(f"t{n}" for n in range(1, 7)), *(f"c{n}" for n in range(1, 13)), "l6", "l7", "l12"}
    )
    texts = {"".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")}
    assert {"work", "work__artists__roles", "title U", "→ place", "image.work"} <= texts


def _decoded(picture: bytes) -> tuple[int, int, bytes]:
    """Width, height and rows of a PNG, whose checksums are right."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(picture):
        (length,) = struct.unpack_from(">I", picture, at)
        kind, content = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", picture, at + 8 + length) == (zlib.crc32(kind + content),)
        chunks[kind], at = content, at + 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    assert chunks[b"tEXt"] == b"Title\0schema (simplified layout)"
    assert list(chunks)[-1] == b"IEND"
    return width, height, zlib.decompress(chunks[b"IDAT"])


def test_the_png_has_the_same_places() -> None:
    """Boxes, links and texts are drawn in the colors of the palette, two pixels for each unit."""
    schema = _chain(20)
    layout = pack(schema)
    width, height, rows = _decoded(packed_png(schema))
    assert (width, height) == (layout.width * 2, layout.height * 2)
    assert len(rows) == (width + 1) * height
    assert set(rows[:: width + 1]) == {0}
    frame, ground, texts = 2, 0, {4, 5}
    for box in layout.boxes:
        top = (width + 1) * (box.y * 2) + 1
        assert set(rows[top + box.x * 2 : top + (box.x + box.width) * 2]) == {frame}
        inside = rows[top + 8 * (width + 1) + box.x * 2 + 4 :][: box.width * 2 - 8]
        assert ground in inside
        heads = b"".join(rows[top + y * (width + 1) + box.x * 2 :][: box.width * 2] for y in range(2, 30))
        assert texts & set(heads)
    for link in layout.links:
        (x, y), (turn, _) = link.points[:2]
        assert rows[(width + 1) * y * 2 + 1 + (x + turn)] in (3, 2)


def test_an_empty_schema() -> None:
    """A picture without tables is valid in both formats."""
    schema = _schema(document())
    assert ET.fromstring(packed_svg(schema)).tag.endswith("}svg")  # noqa: S314 - drawn here
    assert _decoded(packed_png(schema))[0] > 0


def test_the_bitmap_of_a_large_model_is_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of pixels is limited; below full size there are no texts."""
    scale = 0.5
    schema = _chain(60)
    layout = pack(schema)
    monkeypatch.setattr(pictures, "_MOST_PIXELS", int(layout.width * layout.height * scale**2))
    width, height, rows = _decoded(packed_png(schema))
    assert (width, height) == (int(layout.width * scale), int(layout.height * scale))
    assert 4 not in set(rows)
