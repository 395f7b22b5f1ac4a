"""The sheet of all options of an export, with its first rows read back as they will be. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QLabel, QWidget

from cdb_desktop.events.export.options import FileFormat, invalid_option, is_table_format
from cdb_desktop.events.export.preview import ExportPreview
from cdb_desktop.ui.events.export.export_fields import ExportFields
from cdb_desktop.ui.events.export.export_words import overfull_words
from cdb_desktop.ui.language.numbers import filled, plural
from cdb_desktop.ui.theme.appearance import Appearance

_REST = 250  # milliseconds without a change after which the preview is asked for
_SIZE = 720, 640
_FRAME = 48  # pixels that the title and the edges of a window take at most


class ExportSheet(ExportFields):
    """Form and options.

    Signals: ``preview_requested`` (Wish) after a change has rested · ``agreed`` (Wish).
    """

    preview_requested = Signal(object)
    agreed = Signal(object)

    def __init__(
        self, appearance: Appearance, rows: int | None, shown: Mapping[str, str], parent: QWidget
    ) -> None:
        super().__init__(appearance, rows, shown, parent)
        self._rows = rows
        self._ids: tuple[int, ...] = ()
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(lambda: self.preview_requested.emit(self.wish))
        self.say(self.tr("Export events"), "", self.tr("Choose a file…"))
        # Its foot stays in sight on a low screen too.
        self.resize(QSize(*_SIZE).boundedTo(self.screen().availableSize() - QSize(_FRAME, _FRAME)))
        self._connect()
        self._change()

    @property
    def ids(self) -> tuple[int, ...]:
        """The events that were chosen one by one; empty where all rows are meant."""
        return self._ids if self.scope.currentIndex() > 0 else ()

    def offer_selected(self, count: int, ids: Sequence[int]) -> None:
        """Lets the selected rows be chosen in place of all; without ``ids`` they are told to be too many."""
        told = plural(count, self.tr("The selected row"), self.tr("The %1 selected rows"))
        if not ids:
            told = f"{told} – {self.tr('too many to be read one by one: set filters')}"
        self._ids = tuple(ids)
        self.scope.addItem(told)
        choices = self.scope.model()
        if not ids and isinstance(choices, QStandardItemModel):
            choices.item(1).setEnabled(False)
        self._fields.setRowVisible(self.scope, True)

    def show_preview(self, preview: ExportPreview) -> None:
        """Shows the first rows as they are read back, or which of them cannot be."""
        if preview.broken is not None:
            text = self.tr(
                "Row %1 is read back with another number of cells. Choose another quote or escape."
            )
            self.show_fault(filled(text, preview.broken))
        elif not invalid_option(self.wish):
            rows = plural(len(preview.rows), self.tr("1 row read back"), self.tr("%1 rows read back"))
            cells = plural(len(preview.columns), self.tr("1 cell each"), self.tr("%1 cells each"))
            told = f"{rows}, {cells}"
            trimmed = filled(self.tr("values longer than %1 are trimmed"), self.trim.value())
            self.show_fault(
                f"{told} · {trimmed}" if self.trim.value() else told,
                "warning" if self.trim.value() else "muted",
            )
        self.table.show_preview(preview)

    def show_lines(self, lines: str) -> None:
        """Shows the first records as they will stand in the file."""
        self.show_fault("")
        self.lines.setPlainText(lines)

    def _change(self) -> None:
        form = self._form
        has_columns = form != "jsonl"
        for widget in (self.delimiter, self.quote, self.escape, self.bom, self.guard):
            widget.setEnabled(form == "csv")
        self.columns.setEnabled(has_columns)
        self.trim.setEnabled(has_columns)
        self.explode.setEnabled(self._can_explode)
        needs_all = self.tr("Requires all fields: on screen each key already has its own column.")
        self.explode.setToolTip(needs_all if has_columns and not self._can_explode else "")
        self.concat.setEnabled(self._joins)
        self.table.setVisible(has_columns)
        self.lines.setVisible(not has_columns)
        for label in self.findChildren(QLabel):
            # What cannot be chosen has a name as faint as itself.
            if label.buddy() is not None:
                label.setEnabled(label.buddy().isEnabled())
        self._tell_rows()
        self._check(form)

    def _tell_rows(self) -> None:
        rows = len(self.ids) or self._rows
        told = ""
        if rows is not None:
            if self.ids:
                one, many = self.tr("The selected row."), self.tr("The selected rows (%1), by ascending id.")
            else:
                one, many = self.tr("The only row."), self.tr("All %1 rows, by ascending id.")
            told = plural(rows, one, many)
        self.tell(" ".join(filter(None, (told, *self._told_of_columns()))))

    def _told_of_columns(self) -> Iterator[str]:
        if self._form == "jsonl":
            yield self.tr("Each line is a whole record, whatever columns are on screen.")
        elif not self.chosen_columns:
            yield self.tr("All fields, whatever columns are on screen.")
        elif self._form == "csv":
            yield self.tr("The columns on screen, in their order; times with their offset from UTC.")
        else:
            yield self.tr("The columns on screen, in their order.")
        yield self.tr("Session tokens are masked.")
        if self.ids and self._form != "jsonl" and not self.chosen_columns:
            yield self.tr("The column user_type is omitted: no record contains it.")

    def _check(self, form: FileFormat) -> None:
        wrong = invalid_option(self.wish)
        names = {
            "delimiter": self.tr("The delimiter must be one character and differ from quote and escape."),
            "quote": self.tr("The quote is one character."),
            "escape": self.tr("The escape is one character."),
        }
        overfull = overfull_words(form, len(self.ids) or self._rows) if is_table_format(form) else ""
        told = names.get(wrong, "") or overfull
        self.show_fault(told)
        self.accept_button.setEnabled(not told)
        self._rest.stop()
        if not told:
            self._rest.start()

    def _connect(self) -> None:
        for box in (self.scope, self.form, self.columns, self.delimiter):
            box.currentTextChanged.connect(self._change)
        for line in (self.quote, self.escape, self.concat):
            line.textChanged.connect(self._change)
        for tick in (self.bom, self.explode, self.guard, self.receipt):
            tick.toggled.connect(self._change)
        self.trim.valueChanged.connect(self._change)
        self.accept_button.clicked.connect(self._agree)

    def _agree(self) -> None:
        wish = self.wish
        self.close()
        self.agreed.emit(wish)
