"""Tests of rehearsed commits: on empty servers and on copies of a database."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from cdb_desktop.app.rehearsal import rehearsal_server
from cdb_desktop.client import Client
from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.commit.rehearsal import RehearsalError, rehearse
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.tables import remove_table
from tests.desktop.schema.models import WORK, column_named, museum, named
from tests.desktop.ui.schema.service import service


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, so that those that stay are found."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


async def test_a_commit_without_rows(temporary: Path) -> None:
    """CURRENT first, then HEAD with its own ids; nothing stays afterwards."""
    raw = museum()
    raw.pop("house")  # unknown attributes are refused
    raw["tables"][2]["columns"][0].pop("remark")
    current = read_document(raw)
    head = AddColumn(WORK, "added", "text", 0).apply_to(current)
    head = RenameColumn(column_named(head, "work", "year"), "made_in").apply_to(head)
    head = remove_table(named(head, "picture").key, dependents=True).apply_to(head)
    steps: list[Message] = []
    async with rehearsal_server(None) as server:
        result = await rehearse(server, head, current, steps.append)
    assert result.differences == ()
    assert not result.has_rows
    assert [str(step) for step in steps] == [
        "CURRENT is saved",
        "CURRENT is committed",
        "HEAD is read",
        "HEAD is saved",
        "The effect on values is counted",
        "HEAD is committed",
        "The result is compared with HEAD",
    ]
    assert _content(temporary) == []


def _content(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_refused_first_commit() -> None:
    """Without CURRENT; the error names its step."""
    raw = museum()
    raw.pop("house")
    raw["tables"][2]["columns"][0].pop("remark")
    head = read_document(raw)
    work = named(head, "work")
    wrong = head.with_tables(replace(work, raw={**work.raw, "name": "Not A Name"}))
    async with rehearsal_server(None) as server:
        with pytest.raises(RehearsalError) as caught:
            await rehearse(server, wrong, None, lambda _step: None)
    assert str(caught.value.step) == "HEAD is saved"


async def test_a_commit_on_a_copy_with_rows(tmp_path: Path) -> None:
    """Rows that block a commit are found; the database itself does not change."""
    file = tmp_path / "museum" / "demo.sqlite"
    file.parent.mkdir()
    with service(file, "--demo", "--demo-events", "10", "--chaos", "off") as own:
        async with Client(own.url) as client:
            await client.authenticate("root", "admin")
            head = read_document(await client.schema("HEAD"))
            current = read_document(await client.schema("CURRENT"))
        wider = AddColumn(named(head, "work").key, "needed", "text", 0).apply_to(head)
        required = SetColumnOptions(column_named(wider, "work", "needed"), {"not_null": True})
        async with rehearsal_server(own.file) as server:
            with pytest.raises(RehearsalError) as caught:
                await rehearse(server, required.apply_to(wider), current, lambda _step: None)
            assert str(caught.value.step) == "HEAD is committed"
            assert caught.value.plan is not None
            (blocked,) = (step for step in caught.value.plan.steps if step.blocking)
            assert blocked.blocking == blocked.rows > 0
            assert blocked.refusal is not None
            assert blocked.refusal["code"] == "error.user.not_null_violation"
            result = await rehearse(server, head, current, lambda _step: None)
        assert result.has_rows
        assert result.differences == ()
        assert result.plan is not None
        assert sum(step.lost for step in result.plan.steps) > 0
        removed = next(one for one in result.samples if one.old_name == "work")
        assert (removed.new_name, removed.compared > 0) == ("work", True)
        lost = [value for value in removed.values if value.old_name and not value.new_name]
        assert lost
        assert all(value.before is not None and value.after is None for value in lost)
        async with Client(own.url) as client:
            await client.authenticate("root", "admin")
            assert read_document(await client.schema("HEAD")) == head
            assert read_document(await client.schema("CURRENT")) == current
