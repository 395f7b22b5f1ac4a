"""Tests of the files that stay on this machine for each service."""

from __future__ import annotations

from pathlib import Path

from cdb_desktop.schema.diagram import Arrangement
from cdb_desktop.schema.keeping import Keeping
from cdb_desktop.schema.writing import write
from tests.desktop.schema.models import museum, opened


def test_an_arrangement_comes_back(tmp_path: Path) -> None:
    """But for tables that the service has not seen yet."""
    keeping = Keeping(tmp_path / "schema", "Museum")
    assert keeping.arrangement() == Arrangement()
    keeping.keep_arrangement(Arrangement({1: (2.0, 3.5), -7: (0.0, 0.0)}, {4: ((1.0, 1.0), (2.0, 2.0))}))
    assert keeping.arrangement() == Arrangement({1: (2.0, 3.5)}, {4: ((1.0, 1.0), (2.0, 2.0))})


def test_a_draft_comes_back_until_it_is_forgotten(tmp_path: Path) -> None:
    """With the HEAD on which the work began."""
    keeping = Keeping(tmp_path, "Museum")
    keeping.keep_draft(None, opened())
    draft = keeping.draft()
    assert draft is not None
    assert draft.head is None
    assert write(draft.document) == museum()
    keeping.forget_draft()
    assert keeping.draft() is None


def test_services_do_not_share_files(tmp_path: Path) -> None:
    """Not even when their names differ only in what a file's name cannot hold."""
    Keeping(tmp_path, "Museum!").keep_draft(None, opened())
    assert Keeping(tmp_path, "Museum?").draft() is None


def test_users_share_positions_but_no_work(tmp_path: Path) -> None:
    """Somebody else's work is not offered; where boxes stand is the same for all."""
    anna, bert = Keeping(tmp_path, "Museum", "anna"), Keeping(tmp_path, "Museum", "bert")
    anna.keep_draft(None, opened())
    anna.keep_arrangement(Arrangement({1: (2.0, 3.5)}))
    assert anna.draft() is not None
    assert bert.draft() is None
    assert bert.arrangement() == anna.arrangement() == Arrangement({1: (2.0, 3.5)})


def test_what_cannot_be_read_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    """A broken file must not keep anybody from opening the schema."""
    keeping = Keeping(tmp_path, "Museum")
    keeping.keep_draft(None, opened())
    keeping.keep_arrangement(Arrangement())
    for file in tmp_path.glob("*.json"):
        file.write_text("{", "utf-8")
    assert keeping.draft() is None
    assert keeping.arrangement() == Arrangement()


def test_work_is_put_aside_as_a_model(tmp_path: Path) -> None:
    """In the bare form, under a name of its own."""
    file = Keeping(tmp_path, "Museum (demo)").put_aside(opened())
    assert file.name.startswith("museum-demo-")
    assert b'"tables"' in file.read_bytes()
