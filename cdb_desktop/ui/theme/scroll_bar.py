"""The look of scroll bars: a slim handle without arrows, in the palette's colours."""

from __future__ import annotations

# Set on single scroll bars: a style sheet of the application would slow every cell down.
SLIM_SCROLL_BAR = """
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: palette(dark); border-radius: 3px; margin: 3px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: palette(placeholder-text); }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
