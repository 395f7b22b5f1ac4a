"""Tests that files written by version 0.1 of the program can still be opened."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cdb_desktop.client import CsvOptions, EventFilter, Sort
from cdb_desktop.events.export.checkpoint import Checkpoint, export_key, load_checkpoint, save_checkpoint
from cdb_desktop.events.export.csv_page import ColumnSection
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.job_journal import DeletionJob, ExportJob, JobJournal, StoredFilter
from cdb_desktop.queries.history import QueryHistory, QueryHistoryFile
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import ColumnState, SavedView, ViewStore, decode_view_file
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
