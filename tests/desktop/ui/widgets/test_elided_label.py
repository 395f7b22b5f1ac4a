"""Tests of labels that are cut."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.elided_label import ElidedLabel

LONG = "0 hits in 13,987 of 21,093 events, another second or two, and then some more of it all"


def test_a_long_text_is_cut_and_makes_no_window_wider(qtbot: QtBot) -> None:
    """The whole of it is its tooltip, and machines read it as it is."""
    window = QWidget()
    qtbot.addWidget(window)
    label, beside = ElidedLabel(window), QLabel("beside", window)
    layout = QHBoxLayout(window)
    layout.addWidget(label)
    layout.addWidget(beside)
    window.resize(200, 40)
    window.show()
    short = label.grab().toImage()
    label.setText(LONG)
    assert window.minimumSizeHint().width() < 200
    assert label.sizeHint().width() > 200
    assert (label.text(), label.toolTip()) == (LONG, LONG)
    assert label.grab().toImage() != short
    assert beside.geometry().right() < window.width()
