"""Every file of the program may be truncated or overwritten: nothing is raised, and the bytes are kept.

A damaged file is set aside unchanged and reported once, by the loader that the program itself uses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from cdb_desktop.app.connection.store import ConnectionFile
from cdb_desktop.app.settings_file import SettingsFile
from cdb_desktop.client import EventFilter
from cdb_desktop.events.export.checkpoint import Checkpoint, checkpoint_path, load_checkpoint
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.job_journal import DeletionJob, ExportJob, JobJournal, StoredFilter
from cdb_desktop.events.part_file import part_path
from cdb_desktop.foundation.files import Report
from cdb_desktop.live.feed_filter import EarlierFilter
from cdb_desktop.queries.history import QueryHistory, QueryHistoryFile
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import SavedView, ViewStore
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.drafts import DraftStore
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.events.browser.context import UnfinishedWork
from cdb_desktop.ui.events.export.dialogs import load_options, save_options
from cdb_desktop.ui.live.controller import SavedFeed, saved_feeds_file
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.model import load_marks, save_marks
from tests.desktop.schema.models import apply, named, opened

HOME = "root@museum"
FILTER = EventFilter(type=("SEARCH",))


@dataclass(frozen=True)
class Kind:
    """A kind of file: ``write`` returns the path of a valid one, ``load`` the content read from it."""

    write: Callable[[Path], Path]
    load: Callable[[Path], object]


def _connections(folder: Path) -> Path:
    ConnectionFile(folder / "connections.json").keep(ConnectionProfile("https://museum.example", used=1.0))
    return folder / "connections.json"


def _views(folder: Path) -> Path:
    views = (SavedView("One", Query(types=("SEARCH",))), SavedView("Two", Query(users=(7,))))
    ViewStore(folder / "views.json").change(lambda _views: views)
    return folder / "views.json"


def _queries(folder: Path) -> Path:
    QueryHistoryFile(folder / "queries.json").write(HOME, QueryHistory(Query(types=("SEARCH",)), (Query(),)))
    return folder / "queries.json"


def _feeds(folder: Path) -> Path:
    feeds = (SavedFeed(EarlierFilter(user="anna").query, width=300),)
    saved_feeds_file(folder / "feeds.json").change(HOME, lambda _before: feeds)
    return folder / "feeds.json"


def _export_note(folder: Path) -> Path:
    stored = StoredFilter.of(FILTER)
    JobJournal(folder).write(
        "export-1", ExportJob(HOME, "/somewhere/a.csv", ExportOptions(), stored, stored, 12, 99)
    )
    return folder / "export-1.json"


def _deletion_note(folder: Path) -> Path:
    JobJournal(folder).write(
        "deletion-1", DeletionJob(HOME, "/somewhere/b.jsonl", 20, 10, query=Query(), ids=(3,))
    )
    return folder / "deletion-1.json"


def _checkpoint(folder: Path) -> Path:
    target = folder / "events.csv"
    part_path(target).write_bytes(b"12345")
    export_format(ExportOptions(), FILTER, target).save_checkpoint(Checkpoint(3, 5, last=9))
    return checkpoint_path(target)


def _arrangement(folder: Path) -> Path:
    LocalStore(folder, "museum").keep_arrangement(Arrangement({3: (1.0, 2.0)}))
    (path,) = folder.glob("*.layout.json")
    return path


def _journal(folder: Path) -> Path:
    """A journal of one line: a line after it would be a separate edit, which a crash may cut off."""
    head = opened()
    journal = DraftStore(folder, "museum").journal()
    journal.record(head, apply(head, RenameTable(named(head, "work").key, "opus")))
    journal.close()
    return journal.path


KINDS = {
    "connections": Kind(_connections, lambda folder: ConnectionFile(folder / "connections.json").profiles),
    "views": Kind(_views, lambda folder: ViewStore(folder / "views.json").read()),
    "queries": Kind(_queries, lambda folder: QueryHistoryFile(folder / "queries.json").read(HOME)),
    "feeds": Kind(_feeds, lambda folder: saved_feeds_file(folder / "feeds.json").read(HOME)),
    "note of an export": Kind(_export_note, lambda folder: list(JobJournal(folder).jobs(HOME))),
    "note of a deletion": Kind(_deletion_note, lambda folder: list(JobJournal(folder).jobs(HOME))),
    "checkpoint": Kind(
        _checkpoint, lambda folder: load_checkpoint(ExportOptions(), FILTER, folder / "events.csv")
    ),
    "arrangement": Kind(_arrangement, lambda folder: LocalStore(folder, "museum").arrangement()),
    "journal": Kind(_journal, lambda folder: [one.path for one in DraftStore(folder, "museum").abandoned()]),
}


def _damages(whole: bytes, seed: str) -> list[bytes]:
    chance = Random(seed)
    cuts = {
        0,
        1,
        len(whole) // 3,
        len(whole) // 2,
        len(whole) - 2,
        *(chance.randrange(len(whole)) for _ in range(5)),
    }
    places = [chance.randrange(len(whole)) for _ in range(5)]
    return [
        *(whole[:cut] for cut in sorted(cuts)),
        *(chance.randbytes(chance.randrange(1, 600)) for _ in range(10)),
        *(whole[:place] + b"\xff\xfe\x00" + whole[place + 3 :] for place in places),
        b"[" * 100_000,
        b"null",
        b"{}x",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_are_kept_and_reported_once(tmp_path: Path, kind: str, reports: list[Report]) -> None:
    """The content that is loaded from a damaged file is empty, or all of the original."""
    of_kind = KINDS[kind]
    (tmp_path / "whole").mkdir()
    content = of_kind.write(tmp_path / "whole").read_bytes()
    assert of_kind.load(tmp_path / "whole")
    assert reports == []
    for number, damaged in enumerate(_damages(content, kind)):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = of_kind.write(folder)
        before = of_kind.load(folder)
        path.write_bytes(damaged)
        reports.clear()
        found = of_kind.load(folder)
        if found == before or (kind == "journal" and not damaged):
            assert reports == []
            continue
        assert not found or kind in ("checkpoint", "queries", "arrangement")
        (report,) = reports
        assert (report.trouble, report.path.name) == ("damaged", path.name)
        assert report.kept is not None
        assert report.kept.read_bytes() == damaged
        assert of_kind.load(folder) == found
        assert len(reports) == 1


@pytest.mark.parametrize("number", [0, 5, 8, 11])
def test_a_window_opens_with_damaged_settings(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, reports: list[Report], number: int
) -> None:
    """The settings contain the layout of the window and all other values."""
    path = tmp_path / "cdb-desktop.ini"
    settings = SettingsFile(path)
    frame = QMainWindow()
    qtbot.addWidget(frame)
    settings.setValue("window/geometry", frame.saveGeometry())
    settings.setValue("window/docks", frame.saveState())
    save_options(settings, ExportOptions(file_format="jsonl"))
    save_marks(settings, {"mark": Query(types=("SEARCH",))})
    settings.sync()
    whole = path.read_bytes()
    damaged = _damages(whole, str(number))[number]
    path.unlink()
    path.write_bytes(damaged)
    _opened(qtbot, qapp, SettingsFile(path))
    copies = [one.kept for one in reports if one.path == path]
    assert len(copies) <= 1
    assert all(one is not None and one.read_bytes() == damaged for one in copies)
    before = len(reports)
    _opened(qtbot, qapp, SettingsFile(path))
    assert len(reports) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("window/geometry", QByteArray(b"\x00\x01 nothing")),
        ("window/docks", QByteArray(b"cut")),
        ("window/geometry", "text"),
        ("events/export/options", '{"form": 5}'),
        ("events/highlight", "[1]"),
    ],
)
def test_a_value_of_the_wrong_type_is_kept_and_reported_once(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, reports: list[Report], key: str, value: object
) -> None:
    """All other settings are unchanged."""
    settings = SettingsFile(tmp_path / "cdb-desktop.ini")
    settings.setValue("appearance", "dark")
    settings.setValue(key, value)
    settings.sync()
    for _start in range(2):
        _opened(qtbot, qapp, settings)
        (report,) = reports
        assert report.kept is not None
        expected = value.data() if isinstance(value, QByteArray) else str(value).encode()
        assert report.kept.read_bytes() == expected
    assert settings.value("appearance") == "dark"


def test_the_geometry_of_another_screen_is_no_damage(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, reports: list[Report]
) -> None:
    """Qt refuses it if that screen was much wider; the window then has its first size."""
    settings = SettingsFile(tmp_path / "cdb-desktop.ini")
    frame = QMainWindow()
    qtbot.addWidget(frame)
    stored = bytes(frame.saveGeometry().data())
    # The number before the last rectangle is the width of the screen.
    wide = (frame.screen().geometry().width() * 3).to_bytes(4, "big")
    settings.setValue("window/geometry", QByteArray(stored[:-20] + wide + stored[-16:]))
    assert not frame.restoreGeometry(settings.value("window/geometry"))
    _opened(qtbot, qapp, settings)
    assert reports == []


def _opened(qtbot: QtBot, qapp: QApplication, settings: QSettings) -> None:
    window = MainWindow(Appearance(qapp, settings), settings)
    qtbot.addWidget(window)
    load_options(settings, ())
    load_marks(settings)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"4711\ncdb-desktop\nelsewhere\n"])
def test_the_content_of_a_lock_does_not_hide_an_interrupted_export(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, content: bytes
) -> None:
    """Only a running program has the lock; a killed one may leave any content in the file."""
    _export_note(tmp_path)
    (tmp_path / "export-1.lock").write_bytes(content)
    first, second = (UnfinishedWork(tmp_path, HOME, qapp) for _ in range(2))
    assert [name for name, _note in first.interrupted] == ["export-1"]
    held = first.create_entry("export-1")
    assert second.interrupted == []
    held.end(stays=True)
    assert [name for name, _note in second.interrupted] == ["export-1"]
