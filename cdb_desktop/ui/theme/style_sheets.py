"""Qt style sheets for single widgets, in the colors of the palette."""

LINE_EDIT = """
QLineEdit {
    background: palette(base); border: 1px solid palette(dark); border-radius: 4px; padding: 4px 6px;
}
QLineEdit:focus { border-color: palette(link); }
"""


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

TABLE_HEADER = """
QHeaderView { background: palette(base); }
QHeaderView::section {
    background: palette(base); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 8px; height: 27px;
}
QHeaderView::section:horizontal { border-right: 1px solid transparent; padding-right: 7px; }
QHeaderView::section:horizontal:hover { border-right-color: palette(dark); color: palette(text); }
"""

# Buttons without a frame, which shows the focus.
FLAT_BUTTONS = """
QPushButton, QToolButton {
    border: 1px solid transparent; border-radius: 4px; padding: 3px 8px; color: palette(link);
}
QPushButton:hover, QToolButton:hover, QPushButton:focus, QToolButton:focus { border-color: palette(link); }
QPushButton:disabled, QToolButton:disabled { color: palette(placeholder-text); }
QToolButton::menu-indicator { image: none; }
"""
