"""Saves and copies the model, exports it for other tools or as a data dictionary, and imports models."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QWidget

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread, run_with_progress
from cdb_desktop.schema.diagram.graphviz_layout import GraphvizError, find_graphviz
from cdb_desktop.schema.dictionary.contents import Dictionary, DictionarySource
from cdb_desktop.schema.dictionary.html_page import draw_svg, write_html
from cdb_desktop.schema.dictionary.markdown import write_markdown
from cdb_desktop.schema.diff.apply import ImportSource, model_source
from cdb_desktop.schema.diff.matching import Alignment, MatchBy, align, aligned_ids, best_match
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.csv_dump import CsvDump, completed, is_csv_dump, read_csv_dump
from cdb_desktop.schema.exchange.formats import (
    ExchangeFormat,
    ExportedModel,
    export_model,
    guess_format,
    read_model,
)
from cdb_desktop.schema.exchange.incoming import import_tables
from cdb_desktop.schema.exchange.relational import MOST_BYTES, ExchangeError, Loss
from cdb_desktop.schema.files.model_files import (
    ModelFormat,
    OpenedFile,
    is_changed,
    read_file,
    write_copy,
    write_file,
)
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.schema.files.file_access import (
    ask_open_path,
    ask_save_path,
    import_failure,
    read_failure,
    suggested_file_name,
    write_failure,
)
from cdb_desktop.ui.schema.form.dialogs import text_list
from cdb_desktop.ui.schema.merge.dialog import open_merge_dialog
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.promotion.controller import PromotionController
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog

_EXPORT, _IMPORT = "schema.exchange.export", "schema.exchange.import"
_MODEL_SUFFIXES = (".json", ".xml")


class ExchangeController(PageController):
    """Asks for a file, and writes or reads it."""

    def __init__(self, page: SchemaContext, promotion: PromotionController) -> None:
        super().__init__(page)
        self._promotion = promotion

    def ask_export(self) -> None:
        """Opens the dialog that asks for the file and its format."""
        page = self._store.page
        formats = _formats()
        suffixes = {text: format_.suffix for text, format_ in formats.items()}
        title = tr("Export for other tools")

        def write(path: Path) -> None:
            self.export(path, formats[dialog.selectedNameFilter()])

        dialog = ask_save_path(self._view, title, suggested_file_name(page), suffixes, write)
        dialog.setObjectName("schema.exchange.export.dialog")

    def export(self, path: Path, format_: ExchangeFormat) -> None:
        """Writes the document that is shown."""
        page = self._store.page

        def show_error(error: Exception) -> None:
            self._view.notice.show_error(write_failure(path, error))

        work = self._export(path, page.document, format_)
        title = tr("Writing {name}", name=path.name)
        self._tasks.start(_EXPORT, work, title=title, on_error=show_error)

    async def _export(self, path: Path, document: Document, format_: ExchangeFormat) -> None:
        exported = await run_in_thread(export_model, document, format_)
        # Names that are no Unicode cannot be written; no service accepts them.
        content = exported.text.encode(errors="replace")
        await run_in_thread(write_whole, path, content, private=False)
        self._show_export(path, exported)

    def _show_export(self, path: Path, exported: ExportedModel) -> None:
        text = tr("The schema is in {path}.", path=str(path))
        if not exported.losses:
            self._view.notice.show_text("accent", text)
            return
        more = tr(
            "{count:One feature has|{count} features have} no counterpart in it.",
            count=len(exported.losses),
        )
        self._view.notice.show_text(
            "accent", f"{text} {more}", (tr("Show which…"), lambda: self._show_losses(path, exported))
        )

    def _show_losses(self, path: Path, exported: ExportedModel) -> None:
        LossDialog(self._view.appearance, self._view, path.name, exported.losses).open()

    def ask_import(self) -> None:
        """Opens the dialog that asks for the file."""
        formats: dict[str, ExchangeFormat | None] = {
            tr("All models (*.json *.xml *.csv *.dbml *.sql *.mmd *.mermaid *.md)"): None,
            tr("Data models (*.json *.xml)"): None,
            tr("CSV dumps (*.csv)"): None,
            **_formats(),
            tr("All files (*)"): None,
        }
        name, title = "schema.exchange.import.dialog", tr("Import a model")
        ask_open_path(
            self._view, name, title, [*formats], lambda path, one: self.read(path, formats.get(one))
        )

    def read(self, path: Path, format_: ExchangeFormat | None = None) -> None:
        """Reads a file and shows what an import would change; without a format it is found out."""

        def show_error(error: Exception) -> None:
            if isinstance(error, ExchangeError):
                self._view.notice.show_error(import_failure(path, error))
            else:
                self._view.notice.show_error(read_failure(path, error))

        title = tr("Reading {name}", name=path.name)
        self._tasks.start(_IMPORT, self._read(path, format_, title), title=title, on_error=show_error)

    async def _read(self, path: Path, format_: ExchangeFormat | None, title: str) -> None:
        page = self._store.page
        if not page.is_editable:
            return
        base = page.editing.document

        def read(progress: Callable[[float], None]) -> ImportSource:
            return _source(path, format_, base, progress)

        report = partial(self._tasks.show_progress, _IMPORT, title)
        self._promotion.propose(await run_with_progress(read, report))


def _formats() -> dict[str, ExchangeFormat]:
    """The formats by what dialogs call them."""
    return {
        tr("DBML (*.dbml)"): ExchangeFormat.DBML,
        tr("SQL for PostgreSQL (*.sql)"): ExchangeFormat.POSTGRESQL,
        tr("SQL for MySQL (*.sql)"): ExchangeFormat.MYSQL,
        tr("SQL for SQLite (*.sql)"): ExchangeFormat.SQLITE,
        tr("Mermaid diagram (*.mmd)"): ExchangeFormat.MERMAID,
    }


def _source(
    path: Path, format_: ExchangeFormat | None, base: Document, progress: Callable[[float], None]
) -> ImportSource:
    """The model in a file. Blocks; raises OSError, DocumentError and ExchangeError."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if format_ is None and is_csv_dump(content):
        return _dump_source(path.name, read_csv_dump(content))
    if format_ is None and path.suffix.lower() in _MODEL_SUFFIXES:
        model = read_file(path).model
        return model_source(path.name, model.document, model.names)
    chosen = format_ or guess_format(path.name, content)
    tables = read_model(content, chosen, lambda done: progress(0.8 * done))
    losses = import_tables(tables, base).losses

    def aligned(target: Document, _by: MatchBy) -> Alignment:
        return aligned_ids(import_tables(tables, target).document, target)

    return ImportSource(path.name, aligned, losses=tuple(str(loss) for loss in losses))


def _dump_source(name: str, dump: CsvDump) -> ImportSource:
    def aligned(target: Document, by: MatchBy) -> Alignment:
        found = align(dump.document, target, by)
        return replace(found, document=completed(found.document, target))

    return ImportSource(name, aligned, lambda target: best_match(dump.document, target), dump.names)


_WIDTH = 640


class LossDialog(BaseDialog):
    """Lists what has no counterpart in a file that was written."""

    def __init__(self, appearance: Appearance, parent: QWidget, file: str, losses: Sequence[Loss]) -> None:
        super().__init__(appearance, "schema.losses", parent)
        text = tr("The file lacks the following, since its format has no counterpart for it.")
        self.setMinimumWidth(_WIDTH)
        self.set_texts(tr("Without a counterpart in {file}", file=file), text, tr("Close"))
        self.body.addWidget(loss_list(losses, self))
        copy = self.add_button(tr("Copy list"), lambda: _copy(losses))
        copy.setObjectName("schema.losses.copy")
        self.cancel_button.hide()
        self.accept_button.clicked.connect(self.accept)


def loss_list(losses: Sequence[Loss], parent: QWidget) -> QWidget:
    """The losses as a list."""
    found = text_list([str(loss) for loss in losses], parent)
    found.setObjectName("schema.losses.list")
    found.setAccessibleName(tr("Without a counterpart"))
    return found


def _copy(losses: Sequence[Loss]) -> None:
    lines = (
        f"{loss.what}: {', '.join(loss.elements)}" if loss.elements else str(loss.what) for loss in losses
    )
    QApplication.clipboard().setText("\n".join(lines))


_DICTIONARY = "schema.dictionary"
_MARKDOWN = ".md"

# The localized names of a document by their keys.
ReadNames = Callable[[PageState], Awaitable[Mapping[str, object]]]


class DictionaryController(PageController):
    """Asks for a file and writes the dictionary."""

    def __init__(self, page: SchemaContext, read_names: ReadNames) -> None:
        super().__init__(page)
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


_SAVE = "schema.file"


class FileSaveController(PageController):
    """Writes the document to its own file or to another one."""

    def __init__(self, page: SchemaContext, opened: OpenedFile | None = None) -> None:
        """``opened`` is the file that is edited, None if the page shows a service."""
        super().__init__(page)
        self._opened = opened
        self._before_merge: OpenedFile | None = None
        self._is_writing = self._saves_again = False

    def save(self) -> None:
        """Saves to the opened file; asks first if another program has changed it."""
        opened = self._base()
        if self._is_writing:
            # The file would seem to be changed by another program.
            self._saves_again = True
        elif opened is not None:
            self._start(opened.path, self._save(opened, overwrite=False))

    def _base(self) -> OpenedFile | None:
        """The file as the document is based on it: after undo of a merge, as it was before that."""
        page, opened, before = self._store.page, self._opened, self._before_merge
        if opened is None or before is None:
            return opened
        return opened if page.editing.head is opened.model.document else before

    def save_as(self) -> None:
        """Asks for another file and writes it."""
        page = self._store.page
        suffixes = {tr("Data model, JSON (*.json)"): ".json", tr("Data model, XML (*.xml)"): ".xml"}
        title = tr("Save the schema as a file")
        dialog = ask_save_path(self._view, title, suggested_file_name(page), suffixes, self.write)
        dialog.setObjectName("schema.copy.dialog")

    def write(self, path: Path) -> None:
        """Writes the document that is shown to another file, which becomes the opened file if any."""
        self._start(path, self._write_other(path, self._store.page.document))

    def _start(self, path: Path, work: Coroutine[Any, Any, None]) -> None:
        self._view.notice.hide()
        title = tr("Saving {name}", name=path.name)
        self._tasks.start(_SAVE, work, title=title, on_error=lambda error: self._show_error(path, error))

    async def _save(self, opened: OpenedFile, *, overwrite: bool) -> None:
        page = self._store.page
        if page.editing.is_saved:
            return
        if not overwrite and await run_in_thread(is_changed, opened):
            self._ask_to_overwrite(opened)
            return
        document = page.editing.document
        self._is_writing, self._saves_again = True, False
        try:
            written = self._opened = await run_in_thread(write_file, opened, document)
        finally:
            self._is_writing = False
        self._before_merge = None
        self._mark_saved(document)
        if self._saves_again:
            await self._save(written, overwrite=False)

    async def _write_other(self, path: Path, document: Document) -> None:
        own = None if self._opened is None else self._opened.model
        written = await run_in_thread(write_copy, path, document, own)
        if self._opened is not None:
            self._opened, self._before_merge = written, None
            self._mark_saved(document)
        text = tr("The schema is in {path}.", path=str(path))
        holds_all = written.model.form in (ModelFormat.EXPORT, ModelFormat.OLD_EXPORT)
        if not holds_all and (own is None or own.masks or own.names):
            text = f"{text} {tr('Masks and localized names are not in it.')}"
        self._view.notice.show_text("accent", text)

    def _mark_saved(self, document: Document) -> None:
        page = self._store.page
        if self._opened is not None:
            editing, _ = page.editing.saved_as(document, document)
            self._store.put(replace(page, editing=editing, file=self._opened.path.name))

    def _ask_to_overwrite(self, opened: OpenedFile) -> None:
        self._view.notice.show_text(
            "warning",
            tr("{name} has been changed by another program since it was opened.", name=opened.path.name),
            (tr("Merge…"), lambda: self._start(opened.path, self._merge(opened))),
            (tr("Overwrite it"), lambda: self._overwrite(opened)),
            (tr("Save as another file…"), self.save_as),
        )

    async def _merge(self, opened: OpenedFile) -> None:
        """Merges what another program has written with the document; the result is one step."""
        theirs = await run_in_thread(read_file, opened.path)

        def take(found: Merge, mine: Document) -> None:
            now = self._store.page
            if now.editing.document is mine:
                self._opened, self._before_merge = theirs, opened
                self._store.put_editing(now.editing.merged(theirs.model.document, found.document))
                text = tr("Your work is merged with the file. Look at the changes, then save.")
                self._view.notice.show_step(self._store.page, text, (tr("Save the file"), self.save))

        title = tr("Another program has changed {name}", name=opened.path.name)
        others = opened.model.document, theirs.model.document
        await open_merge_dialog(self._view, self._tasks, title, others, self._store.draft, take)

    def _overwrite(self, opened: OpenedFile) -> None:
        self._start(opened.path, self._save(opened, overwrite=True))

    def _show_error(self, path: Path, error: Exception) -> None:
        # A file that is to be merged may have become something else.
        failure = read_failure if isinstance(error, DocumentError) else write_failure
        self._view.notice.show_error(failure(path, error), (tr("Save as another file…"), self.save_as))
