"""Story: a user exports everything that one user did yesterday evening."""

import csv
import json
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client.redaction import MASK
from cdb_desktop.queries.query import QueryPart
from server_stub.database import open_database
from server_stub.events import EventDraft
from server_stub.events.record import Actor
from server_stub.process.composition import compose
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.steps import RETURN, export_csv, open_filter, wait_for_rows
from tests.journeys.visit import Visit, visiting
from tests.server import serving

WHO, OTHER = "Grace Hollis", "Beate Ferber"
NUMBER = "SELECT user_id, user_type FROM _event WHERE user_displayname = ? LIMIT 1"
DONE = 1_300  # more than one request returns
COLUMNS = (
    *("_id", "type", "schema", "basetype", "objecttype", "object_id", "object_version", "global_object_id"),
    *("pollable", "user_id", "user_generated_displayname", "user_type", "session", "ipv4_address"),
)
FOUND = """
    SELECT id, type, schema, base_type, objecttype, object_id, object_version,
           object_id || '@' || (SELECT value FROM _configuration WHERE name = '_instance'),
           iif(pollable, 'true', 'false'), user_id, user_displayname, user_type, iif(session IS NULL, '', ?),
           ipv4_address, timestamp, info
    FROM _event WHERE user_displayname = ? AND timestamp BETWEEN ? AND ? ORDER BY id
"""
TEXT = 'He said "no", twice;\r\nthen \u201eja\u201c, =1+1 and a \t tab'


async def test_the_events_of_a_user_in_one_evening_are_exported(
    folders: UserFolders, own_museum: Path, tmp_path: Path
) -> None:
    """By name and two inclusive times; the file has all rows and values of the server."""
    first, last = _evening()
    _happen(own_museum, first, last)
    found = fetch_rows(own_museum, FOUND, MASK, WHO, first.timestamp(), last.timestamp())
    assert len(found) >= DONE
    file = tmp_path / "evening.csv"
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await until(lambda: visit.events.has_rows)
            await _filter_user(visit, "grace")
            await _filter_dates(visit, first, last)
            await wait_for_rows(visit, len(found))
            summaries = visit.events.filter_bar.summaries
            assert summaries[QueryPart.USER] == WHO
            _check_ends(visit, found)
            await export_csv(visit, file)
    assert _written(file) == [_expected(row) for row in found]


def _evening() -> tuple[datetime, datetime]:
    """From six to midnight in local time."""
    yesterday = datetime.now() - timedelta(days=1)  # noqa: DTZ005
    begin = yesterday.replace(hour=18, minute=0, second=0, microsecond=0)
    end = begin.replace(hour=23, minute=59, second=59)
    return begin.astimezone(), end.astimezone()


def _happen(museum: Path, first: datetime, last: datetime) -> None:
    """Replaces the demo's events of the evening by enough events, whatever the current day is."""
    begin, end = int(first.timestamp()), int(last.timestamp())
    looked = {name: fetch_rows(museum, NUMBER, name)[0] for name in (WHO, OTHER)}
    who, other = (
        Actor(int(str(number)), str(kind), name, "a-session", "192.0.2.7")
        for name, (number, kind) in looked.items()
    )
    width = end - begin
    drafts = [_draft(begin + width * place // (DONE - 1), place, who) for place in range(DONE)]
    drafts += [_draft(begin + width * place // 199, place, other) for place in range(200)]
    drafts += [_draft(moment, 0, who) for moment in (begin - 1, end + 1)]
    drafts.sort(key=lambda draft: draft.timestamp)
    with closing(open_database(str(museum))) as database:
        log = compose(database, demo=True).log
        with database.write() as connection:
            connection.exec_driver_sql("DELETE FROM _event WHERE timestamp >= ?", (begin,))
            log.append(connection, drafts)


def _draft(moment: int, place: int, actor: Actor) -> EventDraft:
    if place % 3 == 0:
        info = json.dumps({"search": [{"string": f"{TEXT} {place}", "phrase": True}], "empty": None})
        return EventDraft("SEARCH", moment, actor, info=info)
    kind, info = ("OBJECT_UPDATE", "{}") if place % 3 == 1 else ("OBJECT_DELETE", '{"batch_id":7}')
    return EventDraft(kind, moment, actor, True, None, "USER", "work", 40 + place, place, info)


async def _filter_user(visit: Visit, name: str) -> None:
    popup = await open_filter(visit, QueryPart.USER)
    visit.type(name)
    visit.press(RETURN)
    visit.click(popup.apply)
    await visit.activate_window()
    await until(lambda: QueryPart.USER in visit.events.filter_bar.summaries)


async def _filter_dates(visit: Visit, first: datetime, last: datetime) -> None:
    popup = await open_filter(visit, QueryPart.DATE)
    for name, moment in (("from", first), ("to", last)):
        line = popup.findChild(QLineEdit, f"events.dates.{name}.line")
        assert isinstance(line, QLineEdit)
        line.setFocus()
        visit.type(f"{moment:%Y-%m-%d %H:%M:%S}")
    visit.click(popup.apply)
    await visit.activate_window()
    await until(lambda: QueryPart.DATE in visit.events.filter_bar.summaries)


def _check_ends(visit: Visit, found: list[tuple[object, ...]]) -> None:
    newest, oldest = visit.events.model.event_at(0), visit.events.model.event_at(len(found) - 1)
    assert newest is not None
    assert newest.id == found[-1][0]
    assert oldest is None or oldest.id == found[0][0]


def _written(file: Path) -> list[dict[str, object]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            {
                **row,
                "timestamp": datetime.fromisoformat(row["timestamp"]).timestamp(),
                "info": json.loads(row["info"]),
            }
            for row in csv.DictReader(lines)
        ]


def _expected(row: tuple[object, ...]) -> dict[str, object]:
    """The row of the file for a row of the database (wire §3)."""
    *cells, moment, info = row
    texts = ("" if cell is None else str(cell) for cell in cells)
    return {**dict(zip(COLUMNS, texts, strict=True)), "timestamp": moment, "info": json.loads(str(info))}
