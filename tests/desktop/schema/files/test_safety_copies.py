"""Tests of the copies that are kept before commits."""

from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.schema.files import local_store as safety_copies
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.files.model_files import read_file
from tests.desktop.schema.models import museum

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_both_versions_can_be_opened_as_models(tmp_path: Path) -> None:
    """With all of their attributes, beside the plan."""
    copies = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    head, current = museum(), {**museum(), "version": 7}
    kept = copies.keep(head, current, {"steps": []}, NOW)
    assert sorted(path.name for path in kept.iterdir()) == ["CURRENT v7.json", "HEAD v8.json", "plan.json"]
    assert msgspec.json.decode((kept / "HEAD v8.json").read_bytes()) == head
    assert read_file(kept / "CURRENT v7.json").model.document.version == 7
    assert oct((kept / "plan.json").stat().st_mode)[-3:] == "600"


def test_services_and_users_have_their_own_copies(tmp_path: Path) -> None:
    """In folders of their own; without CURRENT and plan there is HEAD alone."""
    mine = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    yours = LocalStore(tmp_path, "https://db.example", "you").safety_copies
    kept = mine.keep(museum(), None, None, NOW)
    assert [path.name for path in kept.iterdir()] == ["HEAD v8.json"]
    assert mine.all() == (kept,)
    assert yours.all() == ()


def test_no_copy_replaces_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same second; only the newest are kept."""
    monkeypatch.setattr(safety_copies, "MOST_COPIES", 3)
    copies = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    first = copies.keep(museum(), None, None, NOW)
    second = copies.keep(museum(), None, None, NOW)
    assert copies.all() == (first, second)
    later = [copies.keep(museum(), None, None, NOW + timedelta(days=day)) for day in (1, 2)]
    assert copies.all() == (second, *later)


def test_a_copy_that_cannot_be_completed_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be taken for that of the commit, and push out older ones."""
    copies = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    first = copies.keep(museum(), None, None, NOW)
    second = copies.keep(museum(), None, None, NOW + timedelta(days=1))

    def write(_table: str, _columns: tuple[str, ...], path: Path) -> int:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        copies.keep_values(second, {"work": ()}, write)
    assert copies.all() == (first,)
    monkeypatch.setattr(safety_copies, "write_whole", _refuse)
    with pytest.raises(OSError, match="full"):
        copies.keep(museum(), None, None, NOW)
    assert copies.all() == (first,)


def _refuse(path: Path, _content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    raise OSError(errno.ENOSPC, "full")
