"""Tests that files written by version 0.1 of the program can still be opened, and stay for that version."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QSettings

from cdb_desktop.app.connection.store import ConnectionFile
from cdb_desktop.client import CsvOptions, EventFilter, Sort
from cdb_desktop.events.export.checkpoint import Checkpoint, export_key, load_checkpoint, save_checkpoint
from cdb_desktop.events.export.csv_page import ColumnSection
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.job_journal import DeletionJob, ExportJob, JobJournal, StoredFilter
from cdb_desktop.live.alarm_rules import AlarmRule, AlarmState, ProfileAlarms, alarms_file
from cdb_desktop.queries.history import QueryHistory, QueryHistoryFile
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import ColumnState, SavedView, ViewStore, decode_view_file
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.live.controller import SavedFeed, saved_feeds_file
from cdb_desktop.ui.widgets.event_table.model import load_marks, save_marks
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

FILES = Path(__file__).parents[2] / "data" / "version_0.1"
PROFILE = "https://example.org root"
FILTER = EventFilter(type=("SEARCH",), date_from=datetime(2026, 5, 1, tzinfo=UTC))
OPTIONS = ExportOptions(
    "csv",
    CsvOptions(max_length=0, explode=True),
    escape_formulas=True,
    columns=("id", "info.a"),
    zone="local",
)
QUERY = Query(types=("SEARCH",), users=(7,), span=TimeSpan(preset=TimePreset.DAY), sort=(Sort("type"),))
# Its search in the whole log was beside the query, whose filters it ignored.
VIEW = SavedView(
    "Searches",
    Query(sort=QUERY.sort, conditions=(Condition("type=x", PatternKind.KEY, is_exact=True),)),
    (ColumnState("id", 60, pinned=True), ColumnState("info.limit", shown=False)),
)


def test_checkpoint(tmp_path: Path) -> None:
    """An interrupted export continues; the same checkpoint is written in the same form."""
    target = tmp_path / "events.csv"
    for name in ("events.csv.part", "events.csv.part.json"):
        shutil.copy(FILES / name, tmp_path)
    checkpoint = load_checkpoint(OPTIONS, FILTER, target, [3, 7])
    section = ColumnSection(0, ("_id", "info.a"))
    assert checkpoint == Checkpoint(2, 24, 3, 7, (section,), ("ab",), 1)
    save_checkpoint(target, export_key(OPTIONS, FILTER, [3, 7]), checkpoint)
    assert (tmp_path / "events.csv.part.json").read_bytes() == (FILES / "events.csv.part.json").read_bytes()


def test_jobs(tmp_path: Path) -> None:
    """Exports and deletions are offered again; the same jobs are written in the same form."""
    stored = StoredFilter.of(FILTER)
    jobs = {
        "export_job": ExportJob(PROFILE, "events.csv", OPTIONS, stored, stored, 5, 9, (3, 7), QUERY),
        "deletion_job": DeletionJob(PROFILE, "backup.jsonl", 5, 2, False, QUERY, stored, 9, (3, 7)),
    }
    for name, job in jobs.items():
        shutil.copy(FILES / f"{name}.json", tmp_path)
        # Queries have had conditions since; earlier versions ignore the field.
        written = msgspec.json.encode(job).replace(b',"conditions":[]', b"")
        assert written == (FILES / f"{name}.json").read_bytes()
    assert dict(JobJournal(tmp_path).jobs(PROFILE)) == jobs


def test_query_history(tmp_path: Path) -> None:
    """The queries of the last session are restored."""
    shutil.copy(FILES / "queries.json", tmp_path)
    expected = QueryHistory(QUERY, (Query(), Query(pollable=True)), (Query(base_types=("table",)),))
    assert QueryHistoryFile(tmp_path / "queries.json").read(PROFILE) == expected


def test_saved_views(tmp_path: Path) -> None:
    """Named views are restored, from the program's own file and from a view file."""
    shutil.copy(FILES / "views.json", tmp_path)
    assert ViewStore(tmp_path / "views.json").read() == (VIEW,)
    assert decode_view_file((FILES / "searches.cdbview").read_bytes()) == VIEW


def test_alarms(tmp_path: Path) -> None:
    """Rules continue after the last event that was evaluated."""
    shutil.copy(FILES / "alarms.json", tmp_path)
    states = {"Created objects": AlarmState(1795871692.0)}
    expected = ProfileAlarms((AlarmRule("Created objects", "any"),), 100174, states)
    assert alarms_file(tmp_path).read(PROFILE) == expected


WORDS = Query(conditions=(Condition("deleted work", PatternKind.WORDS),))
NEW = ConnectionProfile("https://new.example", "root")


def _connections(file: Path) -> int:
    ConnectionFile(file).keep(NEW)
    return len(ConnectionFile(file).profiles)


def _views(file: Path) -> int:
    ViewStore(file).change(lambda before: (*before, SavedView("Words", WORDS)))
    return len(ViewStore(file).read())


def _queries(file: Path) -> int:
    QueryHistoryFile(file).write(PROFILE, QueryHistoryFile(file).read(PROFILE).then(WORDS))
    found = QueryHistoryFile(file).read(PROFILE)
    return [found.present, *found.past].count(WORDS) + found.past.count(QUERY)


def _feeds(file: Path) -> int:
    saved_feeds_file(file).change(PROFILE, lambda before: (*(before or ()), SavedFeed(WORDS)))
    return len(saved_feeds_file(file).read(PROFILE) or ())


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("settings/connections.json", _connections),
        ("views.json", _views),
        ("queries.json", _queries),
        ("feeds.json", _feeds),
    ],
)
def test_files_that_version_0_1_cannot_read_have_other_names(
    tmp_path: Path, source: str, change: Callable[[Path], int]
) -> None:
    """The new file continues that of version 0.1, which does not change and is not read again."""
    old = tmp_path / Path(source).name
    shutil.copy(FILES / source, old)
    before = old.read_bytes()
    assert change(tmp_path / f"{old.stem}-2.json") == 2
    assert old.read_bytes() == before


def test_a_highlight_that_version_0_1_cannot_read_has_another_name(tmp_path: Path) -> None:
    """The rules of version 0.1 stay beside those of this one."""
    settings = QSettings(str(tmp_path / "cdb-desktop.ini"), QSettings.Format.IniFormat)
    settings.setValue("events/highlight", '{"good":{"users":[7]}}')
    save_marks(settings, {**load_marks(settings).queries, "mark": WORDS})
    assert load_marks(settings).queries == {"mark": WORDS, "good": Query(users=(7,))}
    assert settings.value("events/highlight") == '{"good":{"users":[7]}}'
