"""Tests of drafts on the disk: nothing is lost or overwritten."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.foundation.files import Report
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.tables import AddTable, RenameTable
from cdb_desktop.schema.files.drafts import DraftStore, Journal, SchemaDraft
from cdb_desktop.schema.files.local_store import LocalStore
from tests.desktop.schema.models import apply, museum, named, opened

# Edits without a pause and prints the number of each recorded edit, until it is killed.
_EDITOR = """
import sys, time
from pathlib import Path
from cdb_desktop.schema.files.drafts import DraftStore
from cdb_desktop.schema.edits.tables import RenameTable
from tests.desktop.schema.models import apply, named, opened

document = opened()
key = named(document, "work").key
journal = DraftStore(Path(sys.argv[1]), "museum").journal()
number = 0
while True:
    number += 1
    document = apply(document, RenameTable(key, f"work_{number}"))
    journal.record(None, document)
    sys.stdout.write(f"{number} {time.time()}\\n")
    sys.stdout.flush()
"""


@pytest.fixture
def store(tmp_path: Path) -> DraftStore:
    """The journals of a service."""
    return DraftStore(tmp_path / "schema", "museum")


def _only(store: DraftStore) -> SchemaDraft:
    (draft,) = store.abandoned()
    return draft


def test_a_draft_is_found_after_its_program_has_ended(store: DraftStore) -> None:
    """It has the HEAD on which it is based; while the program runs, others do not find it."""
    journal = store.journal()
    head = opened()
    document = apply(head, RenameTable(named(head, "work").key, "opus"))
    journal.record(head, document)
    assert store.abandoned() == ()
    journal.close()
    draft = _only(store)
    assert draft.head is not None
    assert write_document(draft.head) == museum()
    assert write_document(draft.document) == write_document(document)


def test_a_saved_draft_leaves_no_file(store: DraftStore) -> None:
    """Journal and lock are removed."""
    journal = store.journal()
    journal.record(None, opened())
    journal.clear()
    assert list(store.folder.iterdir()) == []


def test_each_run_has_its_own_journal(store: DraftStore) -> None:
    """Later drafts never replace earlier ones; the newest is offered first."""
    for name in ("first", "second"):
        journal = store.journal()
        document = opened()
        journal.record(None, apply(document, RenameTable(named(document, "work").key, name)))
        os.utime(journal.path, (1, 1 if name == "first" else 2))
        journal.close()
    names = [[table.name for table in draft.document.tables] for draft in store.abandoned()]
    assert ["second" in each for each in names] == [True, False]
    assert ["first" in each for each in names] == [False, True]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_any_sequence_of_states_is_read_back(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Edits, undo and new HEADs are read; a line truncated by a crash loses only the last edit."""
    random, store = Random(seed), DraftStore(tmp_path_factory.mktemp("drafts"), "museum")
    journal, states, head = store.journal(), [opened()], opened()
    for number in range(random.randint(1, 12)):
        if random.random() < 0.2:
            head = replace(opened(), raw={**opened().raw, "version": number + 2})
        states.append(_next(random, states, number))
        journal.record(head, states[-1])
    last = states[-1]
    journal.close()
    draft = _only(store)
    assert write_document(draft.document) == write_document(last)
    assert draft.head is not None
    assert write_document(draft.head) == write_document(head)
    with journal.path.open("ab") as file:
        file.write(b'{"type":"edit","tables":{"1":{"na')
    assert write_document(_only(store).document) == write_document(last)


def _next(random: Random, states: list[Document], number: int) -> Document:
    chosen = random.random()
    if chosen < 0.3:
        return random.choice(states)
    if chosen < 0.6:
        return apply(states[-1], AddTable(f"table_{number}"))
    document = states[-1]
    table = random.choice([table for table in document.tables if not table.is_nested])
    return apply(document, RenameTable(table.key, f"renamed_{number}"))


def test_an_edit_writes_only_its_tables(store: DraftStore) -> None:
    """A large document is not written again with each edit."""
    journal, document = store.journal(), opened()
    journal.record(None, document)
    whole = journal.path.stat().st_size
    journal.record(None, apply(document, AddTable("small")))
    assert journal.path.stat().st_size - whole < whole / 5
    journal.close()


def test_a_long_journal_is_rewritten(store: DraftStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays small, and has the last state."""
    monkeypatch.setattr("cdb_desktop.schema.files.drafts._LARGEST", 20_000)
    journal, document = store.journal(), opened()
    key = named(document, "work").key
    for number in range(300):
        document = apply(document, RenameTable(key, f"work_{number}"))
        journal.record(None, document)
    assert journal.path.stat().st_size < 60_000
    journal.close()
    assert write_document(_only(store).document) == write_document(document)


def test_a_draft_stays_until_it_is_discarded_and_can_be_restored(store: DraftStore) -> None:
    """Looking for it changes nothing; a discarded draft can be restored for some time."""
    journal = store.journal()
    journal.record(None, opened())
    journal.close()
    assert _only(store).document == _only(store).document
    discarded = store.discard(_only(store))
    assert store.abandoned() == ()
    store.bring_back(discarded)
    discarded = store.discard(_only(store))
    os.utime(discarded, (1, 1))
    assert store.abandoned() == ()
    assert not discarded.exists()


@pytest.mark.parametrize(
    "content", [b"{\n", b"\xff\xfe\x00\n", b'{"type":"edit","tables":{}}\n', b"[1]\n", b"null\n" * 3]
)
def test_a_damaged_file_is_kept_and_reported_once(
    store: DraftStore, content: bytes, reports: list[Report]
) -> None:
    """Its content is unknown, so it is not removed."""
    store.folder.mkdir()
    file = store.folder / "museum.20260101-000000-abcdef.journal"
    file.write_bytes(content)
    assert store.abandoned() == ()
    (damaged,) = reports
    assert damaged.kept is not None
    assert damaged.kept.read_bytes() == content
    assert store.abandoned() == ()
    assert len(reports) == 1


def test_an_empty_journal_is_removed(store: DraftStore) -> None:
    """A kill may occur before the first line is written."""
    store.folder.mkdir()
    store.folder.joinpath("museum.20260101-000000-abcdef.journal").touch()
    assert store.abandoned() == ()
    assert list(store.folder.iterdir()) == []


def test_a_draft_of_version_0_1_is_found(tmp_path: Path) -> None:
    """It is one file without edits, at the path that this version used."""
    local = LocalStore(tmp_path, "Museum", "anna")
    stem = local.drafts.stem
    content = {"head": None, "document": museum()}
    (tmp_path / f"{stem}.draft.json").write_text(json.dumps(content), "utf-8")
    draft = _only(local.drafts)
    assert write_document(draft.document) == museum()
    local.drafts.discard(draft)
    assert local.drafts.abandoned() == ()


def test_users_and_services_have_separate_drafts(tmp_path: Path) -> None:
    """This holds even if their names differ only in characters that file names cannot have."""
    journal = LocalStore(tmp_path, "Museum!", "anna").drafts.journal()
    journal.record(None, opened())
    journal.close()
    assert LocalStore(tmp_path, "Museum?", "anna").drafts.abandoned() == ()
    assert LocalStore(tmp_path, "Museum!", "bert").drafts.abandoned() == ()
    assert len(LocalStore(tmp_path, "Museum!", "anna").drafts.abandoned()) == 1


def test_a_full_disk_is_reported_and_the_next_edit_is_whole(
    store: DraftStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partial line would hide later ones."""
    journal, document = store.journal(), opened()
    journal.record(None, document)
    second = apply(document, AddTable("second"))
    real = os.write

    def full(descriptor: int, content: memoryview) -> int:
        real(descriptor, content[:5])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("cdb_desktop.schema.files.drafts.os.write", full)
        with pytest.raises(OSError, match="No space left"):
            journal.record(None, second)
    third = apply(second, AddTable("third"))
    journal.record(None, third)
    journal.close()
    assert write_document(_only(store).document) == write_document(third)


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
def test_a_kill_loses_no_recorded_edit(tmp_path: Path, kills: int) -> None:
    """The process is killed at a random moment, possibly while writing."""
    random = Random(7)
    for number in range(kills):
        folder = tmp_path / str(number)
        done = _killed_editor(folder, random.uniform(0.05, 0.4))
        draft = _only(DraftStore(folder, "museum"))
        names = [table.name for table in draft.document.tables if table.name.startswith("work_")]
        found = max(int(name.removeprefix("work_").split("__")[0]) for name in names)
        assert found >= done > 0


def _killed_editor(folder: Path, seconds: float) -> int:
    """The number of the last edit that was recorded before the kill."""
    command = [sys.executable, "-c", _EDITOR, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(seconds)  # the moment of the kill
        process.kill()
        lines = [first, *process.stdout.read().splitlines()]
    whole = [line.split() for line in lines if len(line.split()) == 2]
    return int(whole[-1][0])


def test_a_journal_has_a_format_version(store: DraftStore) -> None:
    """Every line is an object with a type, for later versions."""
    journal = Journal(store.folder / "museum.1.journal")
    journal.record(None, opened())
    journal.record(None, apply(opened(), AddTable("other")))
    journal.close()
    lines = journal.path.read_bytes().splitlines()
    assert [msgspec.json.decode(line)["type"] for line in lines] == ["document", "edit"]
