"""Tests of pages of CSV and of selected events, with the reference server."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QObject

from cdb_desktop.client import Capabilities, Client, CsvOptions, EventFilter
from cdb_desktop.events.export.csv_page import CsvPage
from cdb_desktop.events.export.export import Export
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.ui.events.export.controller import CsvPages, SelectedPages, fetch_csv
from tests.desktop.ui.conftest import SignIn

GONE = 10**9


async def test_pages_skip_deleted_events(qtbot: QObject, sign_in: SignIn, tmp_path: Path) -> None:
    """More than one page, some events deleted: each of the others once, in ascending order of id."""
    wanted = list(range(1, 1_206))
    chosen = [*reversed(wanted), GONE, GONE + 1]
    target, wish = tmp_path / "some.jsonl", ExportOptions("jsonl")
    async with sign_in() as client:
        shape = export_format(wish, EventFilter(), target, chosen)
        export = Export(SelectedPages(client, chosen).fetch, target, shape, total=len(chosen))
        await export.run(lambda _progress: None)
    lines = await asyncio.to_thread(target.read_bytes)
    assert [msgspec.json.decode(line)["event"]["_id"] for line in lines.splitlines()] == wanted


async def test_only_the_first_page_has_a_byte_order_mark(qtbot: QObject, sign_in: SignIn) -> None:
    """A byte order mark is valid only at the beginning of a file."""
    async with sign_in() as client:
        fetch = SelectedPages(client, range(1, 1_002)).fetch
        options = CsvOptions(max_length=0, use_bom=True)
        assert (await fetch_csv(fetch, options, True, 0)).startswith(b"\xef\xbb\xbf_id,")
        last = await fetch_csv(fetch, options, True, 999)
    assert last.startswith(b"_id,")
    assert [line.split(b",")[0] for line in last.splitlines()] == [b"_id", b"1000", b"1001"]


@pytest.mark.generation5("the service can escape formulas")
async def test_formulas_are_escaped_once(
    qtbot: QObject, sign_in: SignIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our server escapes formulas when asked; the page of another service is escaped here, to the same."""
    async with sign_in() as client:
        made = await client.insert_event("SEARCH", info={"text": "=1+1", "other": "-5"})
        chosen = EventFilter(date_from=made.timestamp)
        options = CsvOptions(max_length=0, explode=True)
        written = []
        for capabilities in (client.capabilities, Capabilities()):
            monkeypatch.setattr(Client, "capabilities", capabilities)
            pages = CsvPages(client, chosen, options, tmp_path, escape_formulas=True)
            answer = await pages.fetch(0)
            raw = answer.read(0, 2**20)
            assert answer.has_formulas is (b"'=1+1" not in raw) is not capabilities.guards_csv
            page = CsvPage.parse(answer, escapes_formulas=True)
            written.append(b"".join(page.chunks(range(len(page)))))
            as_is = await CsvPages(client, chosen, options, tmp_path).fetch(0)
            assert b"'=1+1" not in as_is.read(0, 2**20)
    assert written[0] == written[1]
    assert b",'=1+1" in written[0]
    assert b",-5," in written[0]
