"""The look of tabs inside a page: words over a line in the accent colour, in the palette's colours."""

from __future__ import annotations

# Set on single tab bars: a style sheet of the application would slow every cell down.
FLAT_TABS = """
QTabBar { background: transparent; border: none; }
QTabBar::tab {
    background: transparent; color: palette(placeholder-text);
    border: none; border-bottom: 2px solid transparent; padding: 6px 10px; margin: 0 2px;
}
QTabBar::tab:selected { color: palette(text); border-bottom-color: palette(link); }
QTabBar::tab:hover, QTabBar::tab:focus { color: palette(text); }
"""
