"""Properties of all widgets in every page, dialog and popup, with a service whose texts look like HTML."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QToolTip,
    QTreeView,
    QWidget,
)

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import ServiceError
from cdb_desktop.client.redaction import known_secrets
from cdb_desktop.vocabulary.error_messages import error_message
from tests.desktop.patience import until
from tests.journeys.visit import Visit, visiting
from tests.journeys.walk import widget_path, widgets_of_all_states
from tests.server import serving

_IMAGE = "<img src=file:///usr/share/pixmaps/debian-logo.png width=900 height=900>"
_HOSTILE = f"<b>bold</b> {_IMAGE}"
# Which escape all values, or have none.
_RICH = {"errors.text", "errors.remedy", "errors.parameters"}
_RICH |= {f"first_steps.{page}.text" for page in ("events", "schema", "live")}
_SMALLEST = 24  # pixels, WCAG 2.5.8


@pytest.mark.parametrize(
    ("spoken", "generation"), [pytest.param("en", "6", marks=pytest.mark.long), ("de", "5")]
)
@pytest.mark.timeout(180)
async def test_all_widgets_have_plain_texts_names_and_sizes(
    folders: UserFolders, own_museum: Path, spoken: Literal["en", "de"], generation: str
) -> None:
    """No label detects HTML, every focusable widget has a name, and no target is too small.

    No text of a widget and no file of the user has a token or a password.
    """
    # The password of all users of the museum, "admin", is also a word of the interface.
    known_secrets.clear()
    _make_hostile(own_museum)
    QSettings(str(folders.settings / "cdb-desktop.ini"), QSettings.Format.IniFormat).setValue(
        "language", spoken
    )
    guessing: set[str] = set()
    nameless: set[str] = set()
    small: set[str] = set()
    telling: set[str] = set()
    seen, shown = 0, False
    with serving(own_museum, "--set", f"name={_HOSTILE}", "--generation", generation) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            secrets = tuple(known_secrets - {"admin"})
            assert secrets
            _show_hostile_error(visit)
            async for _state, widget in widgets_of_all_states(visit):
                seen += 1
                where = widget_path(widget)
                if isinstance(widget, QLabel) and _guesses(widget):
                    guessing.add(where)
                if _is_focusable(widget) and not _name(widget):
                    nameless.add(where)
                if isinstance(widget, QTreeView) and _has_numbered_columns(widget):
                    nameless.add(f"{where}, its columns")
                if _is_target(widget) and min(widget.width(), widget.height()) < _SMALLEST:
                    small.add(f"{where} {widget.width()}x{widget.height()}")
                shown |= isinstance(widget, QLabel) and _IMAGE in widget.text()
                if any(secret in text for text in _texts(widget) for secret in secrets):
                    telling.add(where)
            await _check_tooltip(visit)
    assert seen > 5_000
    assert shown
    assert guessing == set()
    assert nameless == set()
    assert small == set()
    files = [path for path in folders.settings.rglob("*") if path.is_file()]
    telling |= {path.name for path in files if any(one.encode() in path.read_bytes() for one in secrets)}
    assert files
    assert telling == set()


def _texts(widget: QWidget) -> list[str]:
    """All that a widget says, also to screen readers; tables say it in the texts of their models."""
    names = ("text", "plainText", "title", "placeholderText", "toolTip", "windowTitle", "accessibleName")
    return [str(widget.property(name) or "") for name in (*names, "accessibleDescription")]


def _make_hostile(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE _user SET displayname = ? || displayname", (_HOSTILE,))
        database.execute("UPDATE _event SET user_displayname = ?", (_HOSTILE,))
        database.execute("UPDATE _event SET objecttype = ? WHERE objecttype IS NOT NULL", (_HOSTILE,))


def _show_hostile_error(visit: Visit) -> None:
    error = ServiceError(
        "user",
        "error.user.insufficient_rights",
        status=400,
        parameters={"right": _HOSTILE, _HOSTILE: _HOSTILE},
        description=_HOSTILE,
    )
    visit.window.notice.show_failure(error_message(error))
    visit.window.offline_pages.errors.explanation.show_error(error)


async def _check_tooltip(visit: Visit) -> None:
    """Tooltips are labels created by Qt: they show plain text, not rendered HTML."""
    QToolTip.showText(visit.window.mapToGlobal(visit.window.rect().center()), _HOSTILE, visit.window)
    await until(_tip_labels)
    (label,) = _tip_labels()
    assert label.text() == _HOSTILE
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.height() < 200
    QToolTip.hideText()


def _tip_labels() -> list[QLabel]:
    windows = QApplication.topLevelWidgets()
    return [
        one for one in windows if isinstance(one, QLabel) and one.inherits("QTipLabel") and one.isVisible()
    ]


def _guesses(label: QLabel) -> bool:
    if label.textFormat() == Qt.TextFormat.RichText:
        return label.objectName() not in _RICH or "<img" in label.text()
    return label.textFormat() != Qt.TextFormat.PlainText


def _is_focusable(widget: QWidget) -> bool:
    if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isEnabled():
        return False
    if isinstance(widget, QLabel | QHeaderView):
        return False  # texts that can be selected with the mouse; titles that have names of their own
    # Qt sets the policy of the viewport, but the scroll area has the focus.
    return not isinstance(widget.parent(), QAbstractScrollArea)


def _is_target(widget: QWidget) -> bool:
    if isinstance(widget.parent(), QLineEdit | QComboBox | QAbstractSpinBox):
        return False  # a part of a larger field that has a key for it
    return isinstance(widget, QAbstractButton | QComboBox | QAbstractSpinBox | QLineEdit)


def _name(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()


def _has_numbered_columns(tree: QTreeView) -> bool:
    """Whether a column header is 1 or 2, Qt's default."""
    model = tree.model()
    titles = (model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount()))
    return any(str(title).isdigit() for title in titles)
