"""Pictures are drawn by the real Graphviz: keys, links by column, nesting, ids (wire §5)."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from server_stub.errors import ServerError
from server_stub.schema import render, to_png, to_svg
from server_stub.schema.saving import new_head
from tests.server_stub.schema.documents import (
    column,
    document,
    foreign_key,
    museum,
    owned_by,
    place_of,
    table,
)


@pytest.fixture(scope="module")
def picture() -> str:
    """The museum as SVG."""
    return to_svg(new_head(museum(), None, None)).decode()


@pytest.fixture(scope="module")
def root(picture: str) -> ET.Element:
    """The same, parsed."""
    return ET.fromstring(picture)  # noqa: S314 — drawn here


def test_every_name_stands_in_the_picture(root: ET.Element) -> None:
    """Nested tables by their full names, links by their targets."""
    texts = {"".join(node.itertext()).strip() for node in root.iter() if _is(node, "text")}
    assert {"work", "work__artists", "work__artists__roles", "artist", "place", "image"} <= texts
    assert {"title", "artist", "role", "→ place", "image.work"} <= texts


def test_ids_of_tables_columns_and_links(picture: str) -> None:
    """`t<table_id>`, `c<column_id>`, `l<column_id>`, each once."""
    ids = re.findall(r'id="([tcl]\d+)"', picture)
    assert sorted(ids) == sorted(
        {*(f"t{n}" for n in range(1, 7)), *(f"c{n}" for n in range(1, 13)), "l6", "l7", "l12"}
    )


def test_links_start_at_their_column(root: ET.Element) -> None:
    """The link's path begins at the height of its column's row."""
    column_node = next(node for node in root.iter() if node.get("id") == "c6")
    link = next(node for node in root.iter() if node.get("id") == "l6")
    path = next(node.get("d", "") for node in link.iter() if _is(node, "path"))
    text = next(node for node in column_node.iter() if _is(node, "text"))
    start = float(path.removeprefix("M").split("C")[0].split(",")[1])
    assert abs(start - float(text.get("y", "0"))) < 12


def _is(node: ET.Element, tag: str) -> bool:
    return node.tag == f"{{http://www.w3.org/2000/svg}}{tag}"


def test_png_is_an_image() -> None:
    """The same picture in pixels."""
    image = to_png(new_head(museum(), None, None))
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(image[16:20]) > 500


def test_an_empty_schema_has_a_picture() -> None:
    """Nothing to draw is no fault."""
    assert b"<svg" in to_svg(new_head(document(), None, None))


def test_a_nested_table_without_columns_has_a_picture() -> None:
    """As somebody makes it first, before the columns."""
    one = table("work", place_of("work__parts"))
    two = table("work__parts", **owned_by("work"))
    picture = to_svg(new_head(document(one, two), None, None))
    assert {b'id="t1"', b'id="t2"'} <= set(re.findall(rb'id="t\d+"', picture))


def test_links_to_oneself_and_both_ways() -> None:
    """Circles and loops are drawn."""
    one = table("aa", column("b", "link"), column("own", "link"))
    one["foreign_keys"] = [foreign_key("b", "bb"), foreign_key("own", "aa")]
    two = table("bb", column("a", "link", not_null=True), foreign_keys=[foreign_key("a", "aa")])
    picture = to_svg(new_head(document(one, two), None, None)).decode()
    assert {"l1", "l2", "l3"} <= set(re.findall(r'id="(l\d+)"', picture))


def test_without_a_dot_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The Graphviz inside pygraphviz takes over, from any working directory."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert b'id="t1"' in to_svg(new_head(document(table("work")), None, None))


@pytest.mark.parametrize(
    ("script", "word"),
    [("#!/bin/sh\nexec sleep 60\n", "seconds"), ("#!/bin/sh\necho broken >&2; exit 3\n", "broken")],
)
def test_a_dot_that_does_not_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, word: str
) -> None:
    """One that hangs is killed, one that fails is told of."""
    program = tmp_path / "dot"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(render, "_TIMEOUT", 0.2)
    with pytest.raises(ServerError, match=word) as caught:
        to_svg(new_head(document(table("work")), None, None))
    assert caught.value.code == "error.server.internal_file_error"


def test_many_tables() -> None:
    """Large models take seconds, not minutes."""
    tables = [
        table(
            f"t{n:03}",
            column("name"),
            column("up", "link"),
            foreign_keys=[foreign_key("up", f"t{n // 3:03}")],
        )
        for n in range(250)
    ]
    picture = to_svg(new_head(document(*tables), None, None))
    assert picture.count(b'class="node"') == 250
