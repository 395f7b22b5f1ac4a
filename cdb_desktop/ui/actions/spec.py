"""What the table says about one action; knows neither the table nor Qt's actions."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence


class Spec(msgspec.Struct, frozen=True):
    """One action in the user's language.

    ``right`` is the system right (§5.2) that it takes, ``page`` the action of the page that it belongs to,
    both empty where there is none. ``always``: without a connection too. ``offline``: with a model file in
    place of a connection too, whatever the rights. ``apart``: a line stands above it. ``scoped``: its key
    means something only where the page has the focus. ``group``: it stands in a menu of that title within
    the menu, with those beside it that have the same. ``also_key``: a second key. ``native``: the key is
    handled by the widget that has the focus, so the action only shows it.
    """

    name: str
    menu: str
    text: str
    key: str = ""
    icon: str = ""
    checkable: bool = False
    right: str = ""
    checked_icon: str = ""
    page: str = ""
    always: bool = False
    offline: bool = False
    apart: bool = False
    scoped: bool = False
    group: str = ""
    also_key: str = ""
    native: bool = False


def told(text: str) -> str:
    """A text of the table in the language of now."""
    return QCoreApplication.translate("Actions", text)


def plain(text: str) -> str:
    """A text without the marks of its mnemonic and without the key that a menu shows behind it."""
    return text.partition("\t")[0].replace("&", "")


def key_of(action: QAction) -> str:
    """The key of an action as this platform writes it, empty where there is none."""
    native = action.text().partition("\t")[2]
    return native or action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
