"""Tests of the column headers: menu, keys and widths, with the reference server."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHeaderView, QMenu

from cdb_desktop.client import Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.menus import open_menu

USUAL = ("id", "time", "type", "user", "object", "summary")
LEFT, RIGHT, RETURN = Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Return


def section_of(view: EventsView, name: str) -> int:
    """The section of a column."""
    return [column.name for column in view.columns.choices].index(name)


def width_of(view: EventsView, name: str) -> int:
    """The width of a column."""
    return view.table.horizontalHeader().sectionSize(section_of(view, name))


def texts_in(view: EventsView, place: int) -> list[str]:
    """The texts of the first visible cells of a column."""
    return [str(view.model.index(row, place).data() or "") for row in range(6)]


def menu_of(view: EventsView, name: str, titles: QHeaderView | None = None) -> QMenu:
    """Opens the context menu of a header section."""
    header = titles or view.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(section_of(view, name)) + 12, 10)
    everywhere = header.viewport().mapToGlobal(at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, everywhere)
    QApplication.sendEvent(header.viewport(), event)
    return open_menu()


def enabled_entries(menu: QMenu) -> list[str]:
    """The enabled entries of the menu, with a check mark before checked ones."""
    actions = [one for one in menu.actions() if one.isEnabled() and not one.isSeparator()]
    return [("✓ " if one.isChecked() else "") + plain(one.text()) for one in actions]


def choose(menu: QMenu, text: str) -> None:
    """Triggers a menu entry."""
    (action,) = (one for one in menu.actions() if plain(one.text()) == text)
    action.trigger()
    menu.close()


async def test_the_menu_of_a_header_sorts_the_rows(browse: Browse) -> None:
    """By this column only, also by this column, or no longer by it; the current state is checked.

    A disabled entry names a column that cannot be sorted.
    """
    async with browse() as (view, controller):
        menu = menu_of(view, "type")
        assert enabled_entries(menu)[:4] == ["Sort ascending", "Sort descending", "Pin at the left", "Hide"]
        choose(menu, "Sort descending")
        assert list(controller.query.sort) == [Sort("type", descending=True)]
        choose(menu_of(view, "user"), "Also sort by this column")
        both = [Sort("type", descending=True), Sort("user_generated_displayname")]
        assert list(controller.query.sort) == both
        menu = menu_of(view, "type")
        assert enabled_entries(menu)[:4] == [
            "Sort ascending",
            "✓ Sort descending",
            "Reverse, keep the others",
            "Do not sort by this column",
        ]
        choose(menu, "Reverse, keep the others")
        assert list(controller.query.sort) == [Sort("type"), both[1]]
        choose(menu_of(view, "type"), "Do not sort by this column")
        assert list(controller.query.sort) == [both[1]]
        choose(menu_of(view, "user"), "Do not sort by this column")
        assert controller.query == Query()
        assert enabled_entries(menu_of(view, "id"))[:3] == [
            "Sort ascending",
            "✓ Sort descending",
            "Pin at the left",
        ]
        open_menu().close()
        view.columns.show((*USUAL, "basetype"))
        menu = menu_of(view, "basetype")
        first = menu.actions()[0]
        assert plain(first.text()) == "The service cannot sort by this column."
        assert not first.isEnabled()
        assert enabled_entries(menu)[0] == "Pin at the left"
        menu.close()


async def test_columns_are_pinned_and_hidden_from_their_headers(browse: Browse) -> None:
    """Also from the header of a pinned column; the last visible column cannot be hidden."""
    async with browse() as (view, _controller):
        choose(menu_of(view, "type"), "Pin at the left")
        assert list(view.columns.pinned) == ["type"]
        menu = menu_of(view, "type", view.table.pinned.titles)
        assert "Unpin" in enabled_entries(menu)
        choose(menu, "Hide")
        assert view.columns.shown == ("id", "time", "user", "object", "summary")
        assert view.columns.pinned == ()
        for name in ("id", "time", "user", "summary"):
            choose(menu_of(view, name), "Hide")
        menu = menu_of(view, "object")
        assert "Hide" not in enabled_entries(menu)
        menu.close()


async def test_headers_are_navigated_with_keys(browse: Browse, actions: Actions) -> None:
    """Return sorts, Shift+Return adds a column to the order, the menu key opens the menu, Down leaves."""
    async with browse() as (view, controller):
        view.table.setFocus()
        actions["column_titles"].trigger()
        ring = view.table.title_cursor
        assert ring.hasFocus()
        QTest.keyClick(ring, RIGHT)
        QTest.keyClick(ring, RIGHT)
        assert ring.place == section_of(view, "type")
        header = view.table.horizontalHeader()
        assert ring.x() == header.x() + header.sectionViewportPosition(ring.place)
        assert ring.width() == header.sectionSize(ring.place)
        accent = view.appearance.tokens.accent.lower()
        assert view.table.grab().toImage().pixelColor(ring.x(), ring.y() + 10).name() == accent
        QTest.keyClick(ring, RETURN)
        QTest.keyClick(ring, RIGHT)
        QTest.keyClick(ring, RETURN, Qt.KeyboardModifier.ShiftModifier)
        assert controller.query.sort == (Sort("type"), Sort("user_generated_displayname"))
        assert ring.accessibleName() == "Column User, sorted ascending 2"
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(ring, QContextMenuEvent(reason, QPoint(), QPoint()))
        menu = open_menu()
        assert menu.y() >= ring.mapToGlobal(QPoint(0, 0)).y() + ring.height() - 1
        choose(menu, "Hide")
        assert "user" not in view.columns.shown
        QTest.keyClick(ring, Qt.Key.Key_Home)
        assert ring.place == section_of(view, "id")
        QTest.keyClick(ring, LEFT)
        assert ring.place == section_of(view, "id")
        QTest.keyClick(ring, Qt.Key.Key_Down)
        assert view.table.hasFocus()


async def test_a_hidden_header_is_scrolled_into_view(browse: Browse, actions: Actions) -> None:
    """It is shown beside the pinned columns, not below them."""
    async with browse() as (view, _controller):
        actions["inspector"].setChecked(False)
        view.columns.show((*USUAL, "basetype", "objecttype", "schema", "global_object_id"), ("type",))
        view.window().resize(700, 400)
        await until(lambda: view.table.viewport().width() < 700)
        actions["column_titles"].trigger()
        ring, header = view.table.title_cursor, view.table.horizontalHeader()
        QTest.keyClick(ring, Qt.Key.Key_End)
        assert ring.place == section_of(view, "global_object_id")
        assert header.sectionViewportPosition(ring.place) + ring.width() <= header.width()
        for name in ("schema", "objecttype", "basetype", "summary", "object", "user", "time", "id"):
            QTest.keyClick(ring, LEFT)
            assert ring.place == section_of(view, name)
            assert ring.width() == header.sectionSize(ring.place)
            assert ring.x() >= view.table.pinned.width
        QTest.keyClick(ring, LEFT)
        assert (ring.place, ring.x()) == (section_of(view, "type"), header.x())


async def test_widths_are_changed_with_keys(browse: Browse, actions: Actions) -> None:
    """The keys apply to the column of the last click; the status names it, and widths are stored."""
    async with browse() as (view, _controller):
        row = QPoint(
            view.table.columnViewportPosition(section_of(view, "type")) + 20,
            view.table.rowViewportPosition(2) + 5,
        )
        actions["inspector"].setChecked(False)  # it would take room from the columns
        QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
        before = {name: width_of(view, name) for name in USUAL}
        actions["column_widen"].trigger()
        actions["column_widen"].trigger()
        assert width_of(view, "type") == before["type"] + 32
        assert f"Type: {before['type'] + 32} pixels wide" in view.count.text
        actions["column_narrow"].trigger()
        assert width_of(view, "type") == before["type"] + 16
        for _step in range(40):
            actions["column_narrow"].trigger()
        assert 24 <= width_of(view, "type") <= 40
        actions["column_fit"].trigger()
        metrics = view.table.fontMetrics()
        shown = [found for row in range(8) if (found := view.model.event_at(row))]
        assert width_of(view, "type") > max(metrics.horizontalAdvance(event.type) for event in shown)
        assert view.table.hasFocus()
        actions["column_widths"].trigger()
        assert {name: width_of(view, name) for name in USUAL[:4]} == {
            name: before[name] for name in USUAL[:4]
        }


async def test_a_column_of_long_texts_fits_the_window(
    browse: Browse, actions: Actions, sign_in: SignIn
) -> None:
    """It is as wide as the viewport at most; the last column fills the rest."""
    async with sign_in("root", "admin") as other, browse() as (view, controller):
        await other.insert_event("SEARCH", info={"search": "as long as it may be " * 20})
        controller.show_query(Query(types=("SEARCH",)))
        view.columns.show(("id", "info.search", "type"), ("id",))
        place = section_of(view, "info.search")
        await until(lambda: view.has_rows and any(len(text) > 100 for text in texts_in(view, place)))
        actions["column_titles"].trigger()
        QTest.keyClick(view.table.title_cursor, RIGHT)
        actions["column_fit"].trigger()
        room = view.table.viewport().width() - view.table.pinned.width
        assert room - 32 <= width_of(view, "info.search") <= room
        view.columns.show(("id", "type"))
        for _step in range(3):
            actions["column_narrow"].trigger()
        header = view.table.horizontalHeader()
        assert header.length() >= header.width()


async def test_a_double_click_beside_a_header_fits_its_column(browse: Browse) -> None:
    """The width includes the icon, and no text is elided."""
    async with browse() as (view, _controller):
        place = section_of(view, "type")
        header = view.table.horizontalHeader()
        header.resizeSection(place, 300)
        edge = QPoint(header.sectionViewportPosition(place) + 299, 10)
        QTest.mouseDClick(header.viewport(), Qt.MouseButton.LeftButton, pos=edge)
        first, last = view.table.visible_rows()
        # At the lower edge Qt counts one row more.
        shown = [found.type for row in range(first, last + 2) if (found := view.model.event_at(row))]
        longest = max(view.table.fontMetrics().horizontalAdvance(text) for text in shown)
        assert longest + 32 <= width_of(view, "type") <= longest + 40
