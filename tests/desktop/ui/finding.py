"""What is on the screen, by its class and its name."""

from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from tests.desktop.patience import until

_Child = TypeVar("_Child", bound=QObject)
_Popup = TypeVar("_Popup", bound=QWidget)


def child_of(parent: QObject, kind: type[_Child], name: str = "") -> _Child:
    """The child of a class, with a name if one is given."""
    found = parent.findChild(kind, name) if name else parent.findChild(kind)
    assert isinstance(found, kind), f"no {kind.__name__} {name}"
    return found


async def awaited_child(parent: QObject, kind: type[_Child], name: str = "") -> _Child:
    """The same as soon as there is one."""
    await until(lambda: (parent.findChild(kind, name) if name else parent.findChild(kind)) is not None)
    return child_of(parent, kind, name)


def open_popup(kind: type[_Popup]) -> _Popup:
    """The open popup, of a class."""
    found = QApplication.activePopupWidget()
    assert isinstance(found, kind), found
    return found


def focus_widget() -> QWidget:
    """The widget with the focus."""
    found = QApplication.focusWidget()
    assert found is not None
    return found
