"""Fixtures for the tests of the connection dialogs."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """A visible window, the parent of the dialogs."""
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    return widget
