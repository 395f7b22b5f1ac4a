"""Tests of the actions."""

from collections import Counter
from collections.abc import Iterable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QMenuBar

from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.schema import view as schema_view
from cdb_desktop.ui.shell.header import WindowHeader
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.mnemonics import with_mnemonics
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.menus import check_menu, shown_entries, submenus

# Matches the four rights of an administrator that actions require (§5.2).
RIGHTS = {
    "system.api.event.get",
    "system.api.event.delete",
    "system.datamodel.current",
    "system.datamodel.development",
    "system.datamodel.commit",
}

# Of the background of the diagram there is one more entry, for a new table.
_CONTEXT_MENUS = (
    *(schema_view.TABLE_MENU, schema_view.NESTED_TABLE_MENU, schema_view.COLUMN_MENU, schema_view.LINK_MENU),
    *(schema_view.BOXES_MENU, schema_view.PLACE_MENU + schema_view.GROUP_MENU, schema_view.TREE_MENU),
    ("table_new", *schema_view.DIAGRAM_MENU),
)


@pytest.fixture
def actions(appearance: Appearance) -> Actions:
    """All actions, with a connection that has every right."""
    made = Actions(appearance)
    made.offer(lambda _right: True)
    return made


def test_no_two_actions_of_a_page_have_the_same_key(actions: Actions) -> None:
    """Qt triggers neither action of an ambiguous shortcut."""
    specs = [actions.spec(name) for name in actions]
    for page in ("events", "schema"):
        keys = Counter(
            QKeySequence(key).toString()
            for spec in specs
            for key in (spec.key, spec.also_key)
            if key and spec.page in ("", page) and not spec.native
        )
        assert keys.most_common(1)[0][1] == 1, keys.most_common(3)


def test_no_shortcut_uses_alt_gr(actions: Actions) -> None:
    """Ctrl+Alt is AltGr on European keyboards, which types characters."""
    keys = [key.toString() for name in actions for key in actions[name].shortcuts()]
    keys += [actions.spec(name).key for name in actions]
    assert [key for key in keys if {"Ctrl", "Alt"} <= set(key.split("+"))] == []
    assert len(keys) > len(list(actions))


@pytest.fixture(params=["en", "de"])
def spoken_actions(
    appearance: Appearance, set_language: SetLanguage, request: pytest.FixtureRequest
) -> Actions:
    """The actions in each language."""
    set_language(request.param)
    return Actions(appearance)


def test_mnemonics_of_a_menu_differ(spoken_actions: Actions) -> None:
    """Alt with a letter is unambiguous, in both languages and in the menu bar as well."""
    menus = spoken_actions.menus()
    assert _shared(menus) == {}
    for specs in menus.values():
        groups = {spec.group for spec in specs}
        for group in groups:
            titles = sorted(groups - {""}) if not group else []
            assert _shared([*(spec.text for spec in specs if spec.group == group), *titles]) == {}


def test_context_menus_of_the_schema_are_short(appearance: Appearance, spoken_actions: Actions) -> None:
    """At most 12 entries with different letters; submenus have titles of the main menu."""
    titles = {plain(spoken_actions.spec(name).group) for name in spoken_actions}
    for entries in _CONTEXT_MENUS:
        menu = QMenu()
        schema_view.fill_menu(menu, entries, spoken_actions)
        check_menu(menu)
        below = submenus(menu)
        assert below.keys() <= titles
        assert not any(submenus(each) for each in below.values())
        menu.deleteLater()


def test_all_entries_of_the_menu_bar_have_mnemonics(appearance: Appearance, spoken_actions: Actions) -> None:
    """While a menu is open; then its actions, which other menus show too, get their own texts back."""
    texts = {name: spoken_actions[name].text() for name in spoken_actions}
    header = WindowHeader(appearance, spoken_actions)
    for menu in header.findChildren(QMenuBar)[0].findChildren(
        QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly
    ):
        check_menu(menu, most=None)
        menu.popup(QPoint())
        assert all("&" in each.text() for each in shown_entries(menu))
        menu.hide()
    assert {name: spoken_actions[name].text() for name in spoken_actions} == texts
    header.deleteLater()


def test_mnemonics_are_different_or_missing() -> None:
    """Marked letters are kept as far as they differ; signs, keys and doubled signs are none."""
    assert with_mnemonics(["Copy", "&Cut", "A && B\tCtrl+X"]) == ["C&opy", "&Cut", "&A && B\tCtrl+X"]
    assert with_mnemonics(["&Paste", "&Print"]) == ["&Paste", "P&rint"]
    assert with_mnemonics(["± 1 minute", "± 1 Minute"]) == ["± 1 &minute", "± 1 M&inute"]
    assert with_mnemonics(["&A", "a", "&& … 事"]) == ["A", "a", "&& … 事"]


def test_the_menu_of_a_line_edit_is_complete(qapp: QApplication, appearance: Appearance) -> None:
    """Qt's own menus have entries without a mnemonic."""
    line = QLineEdit()
    menu = line.createStandardContextMenu()
    check_menu(menu)
    menu.deleteLater()
    line.deleteLater()


def test_the_events_menu_is_short(actions: Actions) -> None:
    """At most 14 entries; the rest is in submenus of at most 7."""
    specs = actions.menus()["Eve&nts"]
    groups = Counter(spec.group for spec in specs)
    top = groups.pop("")
    assert top + len(groups) <= 14
    assert max(groups.values()) <= 7


def _shared(texts: Iterable[str]) -> dict[str, list[str]]:
    """The letters that several texts have in common, with these texts."""
    found: dict[str, list[str]] = {}
    for text in texts:
        if "&" in text:
            found.setdefault(text[text.index("&") + 1].lower(), []).append(text)
    return {letter: several for letter, several in found.items() if len(several) > 1}


def test_an_action_without_its_right_names_it(actions: Actions) -> None:
    """It is disabled, with the reason in its tooltip (§5.2)."""
    actions.offer(lambda right: right != "system.api.event.get")
    actions.show_page("events")
    assert not actions["export"].isEnabled()
    assert actions["export"].toolTip().endswith("Requires the right system.api.event.get.")
    actions.offer(lambda _right: True)
    assert actions["export"].isEnabled()
    assert "right" not in actions["export"].toolTip()


def test_a_withdrawn_right_counts_until_the_next_session(actions: Actions) -> None:
    """Signing in again may have granted it again."""
    actions.show_page("events")
    actions.withdraw("system.api.event.get")
    assert not actions["export"].isEnabled()
    actions.offer(lambda _right: True)
    assert actions["export"].isEnabled()


def test_rights_are_those_of_the_contract(actions: Actions) -> None:
    """A mistyped right would disable the action for everybody (§5.2)."""
    assert {actions.spec(name).right for name in actions} - {""} <= RIGHTS


def test_without_a_connection_only_some_are_enabled(actions: Actions) -> None:
    """The others show the reason."""
    actions.offer(None)
    assert actions["quit"].isEnabled()
    assert actions["errors"].isEnabled()
    assert actions.obstacle("refresh") == "Requires a connection."


def test_actions_of_a_page_are_inactive_on_other_pages(actions: Actions) -> None:
    """The same shortcut may have another action there."""
    actions.show_page("schema")
    assert not actions["filter"].isEnabled()
    assert actions["filter"].toolTip().endswith("Only on the page “Events”.")
    actions.show_page("events")
    assert actions["filter"].isEnabled()


def test_running_an_action_shows_its_page_first(actions: Actions) -> None:
    """The palette offers the actions of all pages."""
    done: list[str] = []
    actions["schema"].toggled.connect(lambda _on: actions.show_page("schema"))
    actions["fit"].triggered.connect(lambda: done.append("fit"))
    actions.show_page("events")
    actions.run("fit")
    assert actions["schema"].isChecked()
    assert done == ["fit"]


def test_disabled_actions_stay_disabled_when_the_page_changes(actions: Actions) -> None:
    """Reasons of a pane and missing rights are combined."""
    actions.set_possible("fit", possible=False)
    actions.show_page("schema")
    assert not actions["fit"].isEnabled()
    assert actions.obstacle("fit") == "Not available at the moment."
    actions.set_possible("fit", possible=True)
    assert actions["fit"].isEnabled()
