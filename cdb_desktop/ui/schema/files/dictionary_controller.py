"""Exports the data dictionary of the schema that is shown, as HTML or Markdown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.graphviz_process import GraphvizError, find_graphviz
from cdb_desktop.schema.dictionary.contents import Dictionary, DictionarySource
from cdb_desktop.schema.dictionary.html_page import draw_svg, write_html
from cdb_desktop.schema.dictionary.markdown import write_markdown
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.files.dialog import ask_save_path, suggested_file_name
from cdb_desktop.ui.schema.files.messages import write_failure
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_DICTIONARY = "schema.dictionary"
_MARKDOWN = ".md"

# The localized names of a document by their keys.
ReadNames = Callable[[PageState], Awaitable[Mapping[str, object]]]


class DictionaryController(QObject):
    """Asks for a file and writes the dictionary."""

    def __init__(self, store: PageStore, view: SchemaView, tasks: Tasks, read_names: ReadNames) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._read_names = read_names

    def ask(self) -> None:
        """Opens the dialog that asks for the file."""
        page = self._store.page
        suffixes = {tr("Page for browsers (*.html)"): ".html", tr("Markdown (*.md)"): _MARKDOWN}
        title = tr("Export a data dictionary")
        dialog = ask_save_path(self._view, title, suggested_file_name(page), suffixes, self.write)
        dialog.setObjectName("schema.dictionary.dialog")

    def write(self, path: Path) -> None:
        """Writes the dictionary of the document that is shown."""
        page = self._store.page

        def show_error(error: Exception) -> None:
            self._view.notice.show_error(write_failure(path, error))

        title = tr("Writing {name}", name=path.name)
        self._tasks.start(_DICTIONARY, self._write(page, path, title), title=title, on_error=show_error)

    async def _write(self, page: PageState, path: Path, title: str) -> None:
        document = page.document
        names = await self._read_names(page)
        dictionary = Dictionary(
            DictionarySource(
                title=suggested_file_name(page),
                document=document,
                made_at=datetime.now().astimezone(),
                base=None if page.past is not None else page.base,
                base_name=_base_name(page),
                names=names,
            )
        )
        reason = ""
        if path.suffix.lower() == _MARKDOWN:
            content = await run_in_thread(write_markdown, dictionary)
        else:
            self._tasks.show_progress(_DICTIONARY, title, None)
            svg, reason = await _drawing(document)
            content = await run_in_thread(write_html, dictionary, svg, reason)
        await run_in_thread(write_whole, path, content.encode(errors="replace"), private=False)
        text = tr("The data dictionary is in {path}.", path=str(path))
        self._view.notice.show_text(
            "warning" if reason else "accent",
            f"{text} {reason}".strip(),
            (tr("Open it"), partial(_open, path)),
        )


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _base_name(page: PageState) -> str:
    if page.file:
        return tr("the last save")
    return f"CURRENT v{page.current_version}"


async def _drawing(document: Document) -> tuple[str, str]:
    """The diagram, or empty and why there is none."""
    try:
        return await draw_svg(document, find_graphviz()), ""
    except GraphvizError as error:
        return "", tr("The diagram could not be drawn: {reason}", reason=str(error.message))
