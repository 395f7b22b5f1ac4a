"""What the tests of the sheets share: a window over which they open."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """A window on the screen."""
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    return widget
