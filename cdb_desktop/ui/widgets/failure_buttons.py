"""Buttons beside an error: copy its details, explain its code, report it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class FailureButtons(QWidget):
    """Hidden while there is no error. Only codes of the service can be explained.

    Unforeseen errors can be reported with the action ``report`` of the main window.

    Signals: ``explain_requested`` with the code.
    """

    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message: ErrorMessage | None = None
        self._copy = self._made("failure.copy")
        self._copy.setIcon(icon("copy", appearance))
        self._copy.clicked.connect(self._copy_details)
        self._explain = self._made("failure.explain")
        self._explain.setIcon(icon("errors", appearance))
        self._explain.clicked.connect(self._ask)
        self._report = self._made("failure.report")
        self._report.setIcon(icon("export", appearance))
        self._report.clicked.connect(self._report_problem)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._copy)
        layout.addWidget(self._explain)
        layout.addWidget(self._report)
        self._copy.setText(tr("Copy details"))
        self._copy.setToolTip(tr("Copy all details of this error, without secrets"))
        self._explain.setText(tr("Explain"))
        self._explain.setToolTip(tr("Look this code up on the page of errors"))
        self._report.setText(tr("Report…"))
        self._report.setToolTip(tr("See and save what helps to find the cause"))
        self.hide()

    def show_failure(self, message: ErrorMessage | None) -> None:
        """Sets the error; None for none."""
        self._message = message
        self._explain.setVisible(message is not None and message.code.startswith("error."))
        self._report.setVisible(
            message is not None and message.unforeseen and self._report_action() is not None
        )
        self.setVisible(message is not None)

    def _made(self, name: str) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setObjectName(name)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _report_action(self) -> QAction | None:
        """The action of the main window, which may be a parent of this widget's window."""
        window = self.window()
        while (parent := window.parentWidget()) is not None:
            window = parent.window()
        return window.findChild(QAction, "action.report")

    def _report_problem(self) -> None:
        action = self._report_action()
        if action is not None:
            action.trigger()

    def _copy_details(self) -> None:
        if self._message is not None:
            QApplication.clipboard().setText(self._message.details)

    def _ask(self) -> None:
        if self._message is not None:
            self.explain_requested.emit(self._message.code)
