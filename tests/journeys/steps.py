"""Steps that occur in several stories."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QToolButton

from cdb_desktop.queries.query import QueryPart
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_texts import part_name
from tests.desktop.patience import until
from tests.journeys.visit import Visit

RETURN = Qt.Key.Key_Return


async def open_filter(visit: Visit, part: QueryPart) -> Popup:
    """Opens the popup of a filter with the mouse."""
    visit.click(visit.part(QToolButton, "events.filter.add"))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (entry,) = (one for one in menu.actions() if plain(one.text()).startswith(part_name(part)))
    visit.click(menu, menu.actionGeometry(entry).center())
    await until(lambda: isinstance(QApplication.activePopupWidget(), Popup))
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, Popup)
    return popup


async def filter_types(visit: Visit, *types: str) -> None:
    """Opens the types popup with the mouse, types the names and applies them."""
    popup = await open_filter(visit, QueryPart.TYPE)
    for name in types:
        visit.type(name)
        visit.press(RETURN)
    visit.click(popup.apply)
    await visit.activate_window()


async def wait_for_rows(visit: Visit, count: int) -> None:
    """Waits for this number of rows and until the visible ones are loaded."""
    view = visit.events
    await until(lambda: view.model.result is not None and view.model.rowCount() == count)
    await until(lambda: rows_are_loaded(visit))


def rows_are_loaded(visit: Visit) -> bool:
    """Whether the first and the last visible row are loaded."""
    view = visit.events
    return all(view.model.event_at(row) is not None for row in view.table.visible_rows())


async def export_csv(visit: Visit, file: Path) -> None:
    """Exports the result with all fields through the file dialog."""
    visit.act("export")
    dialog = await visit.opened(QFileDialog)
    filters = dialog.nameFilters()
    dialog.selectNameFilter(next(one for one in filters if one.startswith("CSV with all fields")))
    name = visit.part(QLineEdit, "fileNameEdit")
    name.setText(str(file))
    name.setFocus()
    visit.press(RETURN)
    await until(visit.events.notice.isVisible)
    assert visit.events.notice.title == "Exported"


async def rename_column(visit: Visit, before: str, after: str) -> None:
    """Shows the schema, finds the column, and renames it in the tree."""
    visit.act("schema")
    await until(lambda: visit.schema.diagram.has_picture)
    visit.act("schema_find")
    visit.type(before)
    visit.press(RETURN)
    visit.act("schema_find")
    for _step in ("takes the text away", "goes to the tree"):
        visit.press(Qt.Key.Key_Escape)
    visit.act("element_rename")
    assert visit.part(QLineEdit, "schema.tree.name").hasFocus()
    visit.type(after)
    visit.press(RETURN)
    await until(lambda: visit.schema.header.note == "not saved")


async def save(visit: Visit) -> None:
    """Saves HEAD with its shortcut."""
    visit.act("schema_save")
    await until(lambda: visit.schema.header.note == "")
    await until(visit.window.actions_by_name["schema_commit"].isEnabled)


async def commit(visit: Visit) -> None:
    """Commits HEAD in the dialog: checks the boxes about lost values with keys, then clicks the button."""
    visit.act("schema_commit")
    dialog = await visit.opened(CommitDialog)
    assert not dialog.accept_button.isEnabled()
    dialog.list.setFocus()
    visit.press(Qt.Key.Key_Home)
    for row in range(dialog.list.count()):
        if dialog.list.item(row).flags() & Qt.ItemFlag.ItemIsUserCheckable:
            visit.press(Qt.Key.Key_Space)
        visit.press(Qt.Key.Key_Down)
    assert dialog.accept_button.text().startswith("Commit v4: ")
    await until(dialog.accept_button.isEnabled)
    visit.click(dialog.accept_button)
    await until(lambda: visit.schema.header.badge == "vs CURRENT v4 · no changes")


def commits_seen(visit: Visit) -> list[int]:
    """The ids of the commits in the live feed."""
    model = visit.live.model
    shown = (model.event_at(row) for row in range(model.rowCount()))
    return [event.id for event in shown if event.type == "SCHEMA_COMMIT"]
