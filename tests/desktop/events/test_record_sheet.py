"""Tests of records that are written as the service writes them, side by side with its own CSV."""

from __future__ import annotations

import csv
import io

import pytest

from cdb_desktop.client import Client, CsvOptions, EventFilter, Sort
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.record_sheet import csv_page

USER_TYPE = "user_type"  # in no record


@pytest.mark.parametrize(
    "options",
    [
        CsvOptions(max_length=0),
        CsvOptions(max_length=0, explode=True),
        CsvOptions(max_length=0, explode=True, explode_array_concat="|"),
        CsvOptions(max_length=12, delimiter=";", use_bom=True),
        CsvOptions(max_length=0, quote="'", escape="\\"),
    ],
)
async def test_rows_are_those_of_the_service(reference_server: str, options: CsvOptions) -> None:
    """Cell by cell, but for tokens."""
    async with Client(reference_server) as client:
        await client.authenticate("root", "admin")
        asked, by_id = EventFilter(), (Sort("_id"),)
        events = (await client.list_events(asked, sort=by_id, limit=300, full=True)).events
        wanted = _rows(await client.list_csv(asked, options, sort=by_id, limit=300), options)
    found = _rows(csv_page(events, options), options)
    assert len(found) == len(wanted) == 300
    for row, like in zip(found, wanted, strict=True):
        assert like.pop(USER_TYPE) is not None
        if like["session"]:
            like["session"] = MASK[: options.max_length or None]
        assert row == like


def _rows(page: bytes, options: CsvOptions) -> list[dict[str, str]]:
    assert page.startswith(b"\xef\xbb\xbf") is options.use_bom
    same = options.escape == options.quote
    lines = io.StringIO(page.decode("utf-8-sig"), newline="")
    return list(
        csv.DictReader(
            lines,
            delimiter=options.delimiter,
            quotechar=options.quote,
            doublequote=same,
            escapechar=None if same else options.escape,
        )
    )
