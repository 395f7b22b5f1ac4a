"""The explanation of one error: title, text, remedy, parameters, and the service's own description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from cdb_desktop.client import ServiceError
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, MARGIN, TIGHT, TITLE
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.vocabulary.error_messages import CatalogueEntry, Explanation, error_message, find_entry

_PLACE = re.compile(r"\{(\w+)\}")


def highlight_parameters(text: str, parameters: Mapping[str, str], colour: str) -> str:
    """``text`` as rich text, its placeholders replaced by values, or by their names if there is no value."""

    def put(place: re.Match[str]) -> str:
        name = place.group(1)
        shown = escape(parameters.get(name, f"‹{name}›"))
        return f'<span style="color:{colour}; font-weight:600">{shown}</span>'

    return _PLACE.sub(put, escape(text))


class ExplanationView(QWidget):
    """Explains an error code, or an error with the values that came with it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._error: ServiceError | None = None
        self._title = self._label("errors.title", scaled(self.font(), TITLE, QFont.Weight.Medium))
        self._code = self._label("errors.code", QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._kind = self._label("errors.kind", muted=True)
        self._text = self._label("errors.text")
        self._remedy_head, self._remedy = self._head(), self._label("errors.remedy")
        self._parameters_head, self._parameters = self._head(), self._label("errors.parameters")
        self._description_head, self._description = self._head(), self._label("errors.description")
        self._create_layout()
        appearance.changed.connect(self._write)

    @property
    def error(self) -> ServiceError | None:
        """The error that is explained."""
        return self._error

    @property
    def details(self) -> str:
        """The explanation as plain text without secrets."""
        if self._error is None:
            return ""
        message = error_message(self._error)
        return f"{message.details}\n\n{message.text}\n{message.remedy}"

    def show_error(self, error: ServiceError) -> None:
        """Explains an error with its values."""
        self._error = error
        self._write()

    def _write(self) -> None:
        if self._error is None:
            return
        error, entry = self._error, find_entry(self._error.code)
        explanation, colour = _explanation(error, entry), self._appearance.tokens.accent
        self._title.setText(explanation.title)
        self._code.setText(error.code)
        self._kind.setText(self._kind_text(error, entry))
        self._text.setText(highlight_parameters(explanation.text, error.parameters, colour))
        self._remedy_head.setText(tr("What to do"))
        self._remedy.setText(highlight_parameters(explanation.remedy, error.parameters, colour))
        self._write_parameters(error, entry)
        self._write_description(error)

    def _write_parameters(self, error: ServiceError, entry: CatalogueEntry | None) -> None:
        names = dict.fromkeys((*(entry.parameters if entry else ()), *error.parameters))
        colour = self._appearance.tokens.accent
        lines = [
            f"{escape(name)}: {highlight_parameters('{value}', {'value': error.parameters[name]}, colour)}"
            if name in error.parameters
            else escape(name)
            for name in names
        ]
        self._parameters_head.setText(tr("Parameters"))
        self._parameters.setText("<br>".join(lines))
        for widget in (self._parameters_head, self._parameters):
            widget.setVisible(bool(lines))

    def _write_description(self, error: ServiceError) -> None:
        parts = [error.description, f"uuid: {error.uuid}" if error.uuid else ""]
        self._description_head.setText(tr("What the service said"))
        self._description.setText("\n".join(filter(None, parts)))
        for widget in (self._description_head, self._description):
            widget.setVisible(any(parts))

    def _kind_text(self, error: ServiceError, entry: CatalogueEntry | None) -> str:
        realms = {
            "api": tr("The call was malformed"),
            "server": tr("The service failed"),
            "user": tr("The service refused the call"),
        }
        status = error.status or (entry.status if entry else 0)
        kinds = (realms.get(error.realm, error.realm), f"HTTP {status}" if status else "")
        also = tr("also {codes}", codes=", ".join(entry.also)) if entry and entry.also else ""
        return " · ".join(filter(None, (*kinds, also)))

    def _label(self, name: str, font: QFont | None = None, *, muted: bool = False) -> QLabel:
        label = Label(self)
        label.setObjectName(name)
        label.setWordWrap(True)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        if font is not None:
            label.setFont(font)
        if muted:
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return label

    def _head(self) -> QLabel:
        head = Label(self)
        head.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return head

    def _create_layout(self) -> None:
        # The texts of highlight_parameters, in which all values are escaped.
        for label in (self._text, self._remedy, self._parameters):
            label.setTextFormat(Qt.TextFormat.RichText)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GROUP, MARGIN, 0)
        layout.setSpacing(TIGHT)
        for widget in (self._title, self._code, self._kind):
            layout.addWidget(widget)
        layout.addSpacing(GAP)
        layout.addWidget(self._text)
        for head, body in (
            (self._remedy_head, self._remedy),
            (self._parameters_head, self._parameters),
            (self._description_head, self._description),
        ):
            layout.addSpacing(GROUP)
            layout.addWidget(head)
            layout.addWidget(body)


def _explanation(error: ServiceError, entry: CatalogueEntry | None) -> Explanation:
    if entry is not None:
        return entry.explanation
    message = error_message(error)
    return Explanation(message.title, message.text, message.remedy)
