"""Tests of notes on work under way, as a start after a crash finds them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from cdb_desktop.client import EventFilter
from cdb_desktop.events.export import Kept
from cdb_desktop.events.export_wish import Wish, kept_of, shape_of, state_file
from cdb_desktop.events.query import Query
from cdb_desktop.events.unfinished import DeletionNote, ExportNote, KeptFilter, Notes

ASKED = EventFilter(type=("SEARCH",), user_id=(7,), date_from=datetime(2026, 3, 1, 12, 30, 1, 5, tzinfo=UTC))
EXPORT = ExportNote("root@a", "/somewhere/a.csv", Wish(), KeptFilter.of(ASKED), KeptFilter.of(ASKED), 12, 99)
DELETION = DeletionNote("root@a", "/somewhere/b.jsonl", 20, 10, query=Query(types=("SEARCH",)), ids=(3, 4))


def test_notes_come_back_with_every_part(tmp_path: Path) -> None:
    """Of their home only; a filter with its moments is asked again as it was."""
    notes = Notes(tmp_path / "deep" / "folder")
    assert list(notes.of("root@a")) == []
    notes.write("one", EXPORT)
    notes.write("two", DELETION)
    assert dict(notes.of("root@a")) == {"one": EXPORT, "two": DELETION}
    assert list(notes.of("root@b")) == []
    (found,) = (note for _, note in notes.of("root@a") if isinstance(note, ExportNote))
    assert found.asked.asked == ASKED
    notes.remove("one")
    notes.remove("one")
    assert [name for name, _ in notes.of("root@a")] == ["two"]


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """A file of something else, and one that is cut."""
    notes = Notes(tmp_path)
    notes.write("good", EXPORT)
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "cut.json").write_bytes((tmp_path / "good.json").read_bytes()[:40])
    assert [name for name, _ in notes.of("root@a")] == ["good"]


def test_the_part_of_an_export_is_known_by_what_is_read_back(tmp_path: Path) -> None:
    """A note that was written and read asks for the same file; chosen rows are another export."""
    target = tmp_path / "a.csv"
    notes = Notes(tmp_path / "notes")
    notes.write("one", EXPORT)
    ((_, note),) = notes.of("root@a")
    assert isinstance(note, ExportNote)
    target.with_name("a.csv.part").write_bytes(b"12345")
    shape_of(Wish(), ASKED, target).keep(Kept(3, 5))
    assert state_file(target).exists()
    assert kept_of(note.wish, note.asked.asked, target).rows == 3
    assert kept_of(note.wish, note.asked.asked, target, (1, 2)).rows == 0
