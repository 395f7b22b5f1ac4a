"""Gives a widget the name by which tests and tools find it."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Widget = TypeVar("Widget", bound=QWidget)


def named(name: str, widget: Widget) -> Widget:
    """``widget`` itself, so that it can be named where it is made."""
    widget.setObjectName(name)
    return widget
