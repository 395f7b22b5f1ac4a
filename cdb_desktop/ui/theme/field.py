"""The look of text fields: an outline that can be seen on every ground, in the palette's colours."""

from __future__ import annotations

FIELD = """
QLineEdit {
    background: palette(base); border: 1px solid palette(dark); border-radius: 4px; padding: 4px 6px;
}
QLineEdit:focus { border-color: palette(link); }
"""
