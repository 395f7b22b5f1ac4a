"""Object names of widgets."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Widget = TypeVar("Widget", bound=QWidget)


def named(name: str, widget: Widget) -> Widget:
    """Sets the object name of ``widget``, by which tests find it; returns ``widget``."""
    widget.setObjectName(name)
    return widget
