"""Pictures are drawn by the real Graphviz: keys, links by column, nesting, ids (wire §5)."""

import random
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from server_stub.foundation.errors import ServerError
from server_stub.schema import to_png, to_svg
from server_stub.schema.render import pictures
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import (
    column,
    document,
    foreign_key,
    museum,
    owned_by,
    place_of,
    table,
)

_DOT = shutil.which("dot")
needs_dot = pytest.mark.skipif(_DOT is None, reason="without a dot of the system")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clears the cache of pictures."""
    monkeypatch.setattr(pictures, "_pictures", pictures._Pictures())


@pytest.fixture(scope="module")
def picture() -> str:
    """The museum as SVG."""
    return to_svg(new_head(museum(), None, None)).decode()


@pytest.fixture(scope="module")
def root(picture: str) -> ET.Element:
    """The same, parsed."""
    return ET.fromstring(picture)  # noqa: S314 — drawn here


def test_every_name_is_shown(root: ET.Element) -> None:
    """Nested tables are shown by their full names, links by their targets."""
    texts = {"".join(node.itertext()).strip() for node in root.iter() if _is(node, "text")}
    assert {"work", "work__artists", "work__artists__roles", "artist", "place", "image"} <= texts
    assert {"title", "artist", "role", "→ place", "image.work"} <= texts


def test_ids_of_tables_columns_and_links(picture: str) -> None:
    """The ids `t<table_id>`, `c<column_id>` and `l<column_id>` occur once each."""
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
    """A schema without tables can be drawn."""
    assert b"<svg" in to_svg(new_head(document(), None, None))


def test_a_nested_table_without_columns_has_a_picture() -> None:
    """A nested table without columns can be drawn."""
    one = table("work", place_of("work__parts"))
    two = table("work__parts", **owned_by("work"))
    picture = to_svg(new_head(document(one, two), None, None))
    assert {b'id="t1"', b'id="t2"'} <= set(re.findall(rb'id="t\d+"', picture))


def test_links_to_oneself_and_both_ways() -> None:
    """Cyclic links and links of a table to itself are drawn."""
    one = table("aa", column("b", "link"), column("own", "link"))
    one["foreign_keys"] = [foreign_key("b", "bb"), foreign_key("own", "aa")]
    two = table("bb", column("a", "link", not_null=True), foreign_keys=[foreign_key("a", "aa")])
    picture = to_svg(new_head(document(one, two), None, None)).decode()
    assert {"l1", "l2", "l3"} <= set(re.findall(r'id="(l\d+)"', picture))


def test_without_a_dot_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The Graphviz of pygraphviz is used instead, from any working directory."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert b'id="t1"' in to_svg(new_head(document(table("work")), None, None))


def _program(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """A `dot` that is a shell script."""
    (folder / "dot").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def _hasty(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    attempts = tuple(replace(each, seconds=seconds) for each in pictures._ATTEMPTS)
    monkeypatch.setattr(pictures, "_ATTEMPTS", attempts)


def is_simple(picture: bytes) -> bool:
    """Whether a picture says that it is the simpler one."""
    return b"simplified layout" in picture


@pytest.mark.parametrize(
    ("script", "draw"),
    [
        ("exec sleep 60", to_svg),
        ("echo broken >&2; exit 3", to_png),
        ("kill -SEGV $$", to_svg),
        ("exit 0", to_png),
    ],
)
def test_a_dot_that_does_not_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, draw: Callable[[Mapping[str, Any]], bytes]
) -> None:
    """It is an error that says so if `dot` hangs, crashes or writes nothing."""
    _program(monkeypatch, tmp_path, script)
    _hasty(monkeypatch, 0.3)
    with pytest.raises(ServerError, match=r"too long|Graphviz failed"):
        draw(new_head(museum(), None, None))


def test_a_dot_without_the_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The Graphviz inside pygraphviz draws if the system's lacks the engine, as in Debian 14."""
    _program(monkeypatch, tmp_path, "echo 'There is no layout engine support. Use one of: dot' >&2; exit 1")
    assert b'id="t1"' in to_svg(new_head(museum(), None, None))


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed in another way")
def test_what_a_hanging_dot_has_started_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The time limit ends the program and its own children."""
    _program(monkeypatch, tmp_path, f"sleep 60 & echo $$ $! >> {tmp_path}/processes; wait")
    _hasty(monkeypatch, 0.5)
    with pytest.raises(ServerError):
        to_svg(new_head(museum(), None, None))
    started = (tmp_path / "processes").read_text().split()
    assert len(started) == 2 * len(pictures._ATTEMPTS)
    for process in started:
        _wait_until(lambda: _is_gone(int(process)))  # noqa: B023


def _is_gone(process: int) -> bool:
    """Whether a process has ended; it may wait for its parent."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_picture_that_took_too_long_is_not_tried_again_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next caller gets the same error without another attempt."""
    _program(monkeypatch, tmp_path, f"echo run >> {tmp_path}/runs; exec sleep 60")
    _hasty(monkeypatch, 0.3)
    head = new_head(museum(), None, None)
    for _ in range(2):
        with pytest.raises(ServerError, match="too long"):
            to_svg(head)
    assert (tmp_path / "runs").read_text().count("run") == len(pictures._ATTEMPTS)


def test_callers_beyond_the_queue_are_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They do not wait for the drawings before them, which are completed."""
    gate = tmp_path / "gate"
    _program(monkeypatch, tmp_path, f"while [ ! -e {gate} ]; do sleep 0.05; done; exec {_DOT or 'dot'} $*")
    heads = [new_head(document(table(f"t{number}")), None, None) for number in range(30)]
    _hasty(monkeypatch, 30)
    monkeypatch.setattr(pictures, "LIMIT_SECONDS", 60)
    with ThreadPoolExecutor(len(heads)) as pool:
        calls = [pool.submit(to_svg, head) for head in heads]
        most = pictures._DRAWING + pictures._WAITING
        _wait_until(lambda: sum(call.done() for call in calls) == len(heads) - most)
        assert all("too many" in str(call.exception()) for call in calls if call.done())
        waiting = [call for call in calls if not call.done()]
        gate.touch()
        assert all(b"<svg" in call.result() for call in waiting)


def test_no_call_takes_longer_than_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The time to wait for the turn is part of the limit."""
    _program(monkeypatch, tmp_path, "exec sleep 60")
    _hasty(monkeypatch, 60)
    monkeypatch.setattr(pictures, "LIMIT_SECONDS", 1.0)
    heads = [new_head(document(table(f"t{number}")), None, None) for number in range(6)]
    began = time.monotonic()
    with ThreadPoolExecutor(len(heads)) as pool:
        calls = [pool.submit(to_svg, head) for head in heads]
    # Each attempt alone would be allowed a minute.
    assert time.monotonic() - began < 30
    assert all(isinstance(call.exception(), ServerError) for call in calls)


def tangle(tables: int, links: int) -> dict[str, Any]:
    """A document of tables that link to one another without any order."""
    chance = random.Random(1)
    made = []
    for number in range(tables):
        names = [f"l{link}" for link in range(links)]
        keys = [foreign_key(name, f"t{chance.randrange(tables):03}") for name in names]
        made.append(table(f"t{number:03}", *(column(name, "link") for name in names), foreign_keys=keys))
    return document(*made)


@pytest.mark.parametrize("seconds", [(0.05, 60), (0.01, 0.01, 60)])
def test_a_tangle_is_drawn_more_simply(monkeypatch: pytest.MonkeyPatch, seconds: tuple[float, ...]) -> None:
    """If the layout takes too long, a simpler picture has the same tables and links."""
    hasty = tuple(map(lambda each, limit: replace(each, seconds=limit), pictures._ATTEMPTS, seconds))
    monkeypatch.setattr(pictures, "_ATTEMPTS", hasty)
    monkeypatch.setattr(pictures, "LIMIT_SECONDS", 100)
    picture = to_svg(new_head(tangle(60, 5), None, None))
    assert is_simple(picture)
    assert picture.count(b'class="node"') == 60
    assert set(re.findall(rb'id="(l\d+)"', picture)) == {b"l%d" % number for number in range(1, 301)}


@needs_dot
def test_simultaneous_requests_share_a_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Simultaneous and later requests share a picture; each format is a separate one."""
    _logging_dot(monkeypatch, tmp_path)
    head = new_head(museum(), None, None)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(to_svg, [head] * 8))
    assert len(set(drawn)) == 1
    assert (tmp_path / "runs").read_text().count("run") == 1
    to_png(head)
    assert to_svg(head) == drawn[0]
    assert (tmp_path / "runs").read_text().count("run") == 2
    for number in range(9):
        to_svg(new_head(document(table(f"t{number}")), None, None))
    assert to_svg(head) == drawn[0]  # Only the last few are cached.
    assert (tmp_path / "runs").read_text().count("run") == 12


def _logging_dot(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A program that records each run and then starts the real one."""
    _program(monkeypatch, folder, f'echo run >> {folder}/runs\nexec {_DOT} "$@"')


@needs_dot
def test_a_picture_that_failed_is_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A failure is not cached."""
    head = new_head(museum(), None, None)
    _program(monkeypatch, tmp_path, "exit 3")
    with pytest.raises(ServerError):
        to_svg(head)
    _logging_dot(monkeypatch, tmp_path)
    assert b"<svg" in to_svg(head)
