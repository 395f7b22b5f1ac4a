"""The menu of how many hits have which type, user, object type or place. Knows no service."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from cdb_desktop.events.search import GROUP_FIELDS, HitGroups, group_hits
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.events.search.hits_table import HitsTable
from cdb_desktop.vocabulary.pattern import Hit

_FEW = 12  # values of a field that are named


def counts_menu(parent: QWidget, table: HitsTable, hits: Sequence[Hit]) -> QMenu:
    """Shows counts field by field; whoever takes one has its hits selected in ``table``."""
    menu = QMenu(parent)
    menu.setObjectName("events.search.counts.menu")
    names = {
        "type": tr("Type"),
        "user": tr("User"),
        "objecttype": tr("Object type"),
        "where": tr("Found in"),
    }
    for field in GROUP_FIELDS:
        groups = group_hits(field, hits)
        if groups:
            _add_field(menu, table, f"{names[field]} · {number_text(len(groups))}", groups)
    return menu


def _add_field(menu: QMenu, table: HitsTable, title: str, groups: HitGroups) -> None:
    if menu.actions():
        menu.addSeparator()
    _add(menu, title).setEnabled(False)
    for value, rows in groups[:_FEW]:
        told = f"{value}\t{number_text(len(rows))}"
        _add(menu, told).triggered.connect(partial(table.select_hits, rows))
    others = groups[_FEW:]
    if others:
        told = tr("{count:1 other|{count} others}", count=len(others))
        rows = sorted(row for _value, found in others for row in found)
        told = f"{told}\t{number_text(len(rows))}"
        _add(menu, told).triggered.connect(partial(table.select_hits, rows))


def _add(menu: QMenu, text: str) -> QAction:
    return menu.addAction(text.replace("&", "&&"))
