"""Tests of how a hit is shown."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetrics

from cdb_desktop.ui.events.hits_table import shortened


@pytest.mark.usefixtures("qapp")
def test_a_match_is_never_pushed_out_of_its_column() -> None:
    """What stands before it gives way, at its far end."""
    metrics = QFontMetrics(QFont())
    before = "sftp.catalogue.example: permission "
    whole = metrics.horizontalAdvance(before)
    assert shortened(before, metrics, whole) == before
    cut = shortened(before, metrics, whole // 2)
    assert cut.startswith("…")
    assert before.endswith(cut[1:])
    assert metrics.horizontalAdvance(cut) <= whole // 2
    assert len(shortened(before, metrics, -20)) <= 1
