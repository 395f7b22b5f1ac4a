"""Tests of what screen readers find in the diagram."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QSignalSpy

from cdb_desktop.client import Session
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.tables import RenameTable, remove_table
from cdb_desktop.ui.schema.diagram.accessible import ITEM_ROLE, DiagramAccessibility
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PICTURE, WORK, YEAR, opened
from tests.desktop.ui.schema.conftest import Bench

_NAME, _DESCRIPTION = QAccessible.Text.Name, QAccessible.Text.Description


async def test_the_tree_has_the_order_of_the_document(bench: Bench) -> None:
    """Tables with their columns, links and nested tables, at their places on the screen."""
    async with bench.with_museum():
        root = _root(bench)
        assert (root.role(), root.text(_NAME)) == (QAccessible.Role.Tree, "Diagram of the schema")
        document = opened()
        tops = [table for table in document.tables if table.owner is None]
        tables = [root.child(at) for at in range(len(tops))]
        assert [item.text(_NAME).partition(",")[0] for item in tables] == [table.name for table in tops]
        for at, (item, table) in enumerate(zip(tables, tops, strict=True)):
            assert (item.role(), item.isValid()) == (ITEM_ROLE, True)
            assert root.indexOfChild(item) == at
            assert item.parent() is root
            names = [entry.text(_NAME) for entry in _children(item)]
            columns = [column.name for column in table.columns if column.name]
            found = [name for name in names if name.split(":")[0].split(" links to ")[0] in columns]
            assert len(found) == len(columns)
            assert all(child.parent() is item for child in _children(item))
            rect = item.rect()
            middle = rect.center()
            assert bench.view.diagram.viewport().mapFromGlobal(middle).x() > 0
            hit = root.childAt(middle.x(), rect.top() + 4)
            assert hit is item


async def test_the_use_of_a_table_is_its_description(bench: Bench) -> None:
    """As in the tooltip, while it is shown."""
    async with bench.with_museum(session=Session(token="t")):
        item = _named(_root(bench), "work")
        assert item.text(_DESCRIPTION) == ""
        bench.actions["schema_usage"].trigger()
        assert item.text(_DESCRIPTION).startswith("Number of rows unknown")


async def test_links_tell_where_they_lead(bench: Bench) -> None:
    """With their rules; changes are told as well."""
    async with bench.with_museum() as controller:
        texts = list(_texts(_root(bench)))
        assert any("links to person" in text for text in texts)
        assert any("on delete:" in text for text in texts)
        controller.store.apply(RenameTable(PERSON, "people"))
        await until(
            lambda: any("people, table" in text and "renamed" in text for text in _texts(_root(bench)))
        )
        controller.store.apply(remove_table(PICTURE, dependents=True))
        await until(lambda: "picture, removed table" in list(_texts(_root(bench))))


async def test_the_selection_is_the_focus(bench: Bench) -> None:
    """Actions select, rename and open the menu as clicks do; the tree at the left follows."""
    async with bench.with_museum() as controller:
        QAccessible.setActive(True)
        root, view = _root(bench), bench.view.diagram
        work = _named(root, "work, table")
        year = _named(work, "year")
        view.setFocus()
        actions = year.actionInterface()
        assert actions is not None
        actions.doAction(actions.pressAction())
        page = controller.store.page
        assert page.selection == ColumnRef(WORK, YEAR)
        assert bench.view.tables.model.node(bench.view.tables.tree.currentIndex()) == ColumnRef(WORK, YEAR)
        assert (year.state().selected, work.state().selected) == (1, 0)
        assert root.focusChild() is year
        assert QRect(
            view.viewport().mapToGlobal(view.viewport().rect().topLeft()), view.viewport().size()
        ).contains(year.rect().center())
        renames, menus = QSignalSpy(view.rename_requested), QSignalSpy(view.menu_requested)
        actions.doAction("rename")
        actions.doAction(actions.showMenuAction())
        assert (renames.count(), menus.count()) == (1, 1)
        assert actions.localizedActionName("rename") == "Rename"


async def test_elements_that_are_gone_are_invalid(bench: Bench) -> None:
    """Also after a long session nothing is kept of them."""
    async with bench.with_museum() as controller:
        QAccessible.setActive(True)
        picture = DiagramAccessibility.of(bench.view.diagram).element(TableRef(PICTURE))
        assert picture is not None
        child = picture.child(0)
        assert child is not None
        kept, gone = QAccessible.uniqueId(picture), QAccessible.uniqueId(child)
        assert QAccessible.accessibleInterface(kept) is picture
        assert QAccessible.accessibleInterface(gone) is child
        controller.store.apply(remove_table(PICTURE, dependents=True))
        assert not child.isValid()
        await until(lambda: QAccessible.accessibleInterface(gone) is None)
        assert QAccessible.accessibleInterface(kept) is picture
        assert picture.text(_NAME) == "picture, removed table"


@pytest.fixture(autouse=True)
def _inactive() -> Iterator[None]:
    yield
    QAccessible.setActive(False)


def _root(bench: Bench) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(bench.view.diagram)


def _children(item: QAccessibleInterface) -> list[QAccessibleInterface]:
    return [item.child(at) for at in range(item.childCount())]


def _texts(item: QAccessibleInterface) -> Iterator[str]:
    for child in _children(item):
        if child.role() == ITEM_ROLE:
            yield child.text(_NAME)
            yield from _texts(child)


def _named(item: QAccessibleInterface, beginning: str) -> QAccessibleInterface:
    return next(child for child in _children(item) if child.text(_NAME).startswith(beginning))
