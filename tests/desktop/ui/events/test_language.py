"""Tests of messages when the language changes."""

from __future__ import annotations

from pathlib import Path

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.settings.language import LanguageSetting
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, ended, enter


async def test_the_result_of_a_search_follows_the_language(browse: Browse, language: LanguageSetting) -> None:
    """The numbers stay the same, the text is translated."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        enter(view, '"SEARCH"')
        await until(lambda: ended(view))
        chip = view.filter_bar.chip(view.query.parts[0])
        assert chip.accessibleName() == "Anywhere: “SEARCH”"
        language.choose("de")
        await until(lambda: " von " in view.count.text)
        chip = view.filter_bar.chip(view.query.parts[0])
        assert chip.accessibleName() == "Überall: „SEARCH“"


async def test_a_notice_follows_the_language(
    browse: Browse, actions: Actions, language: LanguageSetting, tmp_path: Path
) -> None:
    """The outcome of an export and the path of its receipt."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        target = tmp_path / "all.jsonl"
        controller.export.export(target, ExportOptions("csv", CsvOptions()))
        await until(view.notice.isVisible)
        assert view.notice.title == "Exported"
        assert "The receipt beside it is all.jsonl.receipt.json." in view.notice.text
        assert (tmp_path / "all.jsonl.receipt.json").exists()
        language.choose("de")
        await until(lambda: view.notice.title == "Exportiert")
        view.notice.show_notice("accent", "Plain", "words")
        language.choose("en")
        await until(lambda: view.notice._close.toolTip() == "Close this notice")
        assert view.notice.title == "Plain"
