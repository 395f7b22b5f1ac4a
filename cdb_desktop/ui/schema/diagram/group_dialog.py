"""Asks for name and color of a group."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import COLORS
from cdb_desktop.ui.schema.diagram.style import group_color, group_color_name
from cdb_desktop.ui.schema.form.fields import TextField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label

_SIDE = 16


class GroupDialog(BaseDialog):
    """Calls ``decide`` with the name and the color of a group."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        name: str,
        color: int,
        decide: Callable[[str, int], None],
    ) -> None:
        """An empty ``name`` is that of a new group."""
        super().__init__(appearance, "schema.group", parent)
        if name:
            self.set_texts(tr("Name and color of the group"), "", tr("Apply"))
        else:
            self.set_texts(tr("New group"), "", tr("Create"))
        self._decide = decide
        content = QWidget(self)
        form = QFormLayout(content)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(GAP)
        self.name = TextField("schema.group.name", content)
        self.name.setAccessibleName(tr("Name"))
        self.name.setText(name)
        self.name.selectAll()
        self.color = QComboBox(content)
        self.color.setObjectName("schema.group.color")
        self.color.setAccessibleName(tr("Color"))
        self.color.setIconSize(QSize(_SIDE, _SIDE))
        for number in range(COLORS):
            self.color.addItem(color_icon(number, appearance.tokens), group_color_name(number))
        self.color.setCurrentIndex(color % COLORS)
        form.addRow(Label(tr("Name"), content), self.name)
        form.addRow(Label(tr("Color"), content), self.color)
        self.body.addWidget(content)
        self.name.textChanged.connect(self._check)
        self.accept_button.clicked.connect(self._take)
        self._check()
        self.name.setFocus()

    def _check(self) -> None:
        self.accept_button.setEnabled(bool(self.name.text().strip()))

    def _take(self) -> None:
        name, color = self.name.text().strip(), self.color.currentIndex()
        self.accept()
        self._decide(name, color)


def color_icon(color: int, tokens: Tokens) -> QIcon:
    """A square in the color of a group."""
    picture = QPixmap(_SIDE, _SIDE)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.edge), 1))
        painter.setBrush(group_color(color, tokens))
        painter.drawRoundedRect(2, 2, _SIDE - 4, _SIDE - 4, 3, 3)
    return QIcon(picture)
