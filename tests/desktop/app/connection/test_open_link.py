"""Tests of opening links, with real services and a real window."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.app.connection.controller import LinkController, fitting_profile
from cdb_desktop.app.options import Options
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.connection.dialogs import OpenLinkDialog
from cdb_desktop.ui.connection.profile import ConnectionProfile
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.drops import drop
from tests.desktop.patience import until
from tests.desktop.queries.hostile_links import hostile_links
from tests.desktop.ui.finding import child_of

SEARCHES = "type=SEARCH&v=1"


def link_to(address: str, name: str = "Museum") -> str:
    """A link to the searches of a service."""
    return f"cdb://events?profile={name}&server={address}&{SEARCHES}"


def links(app: AppWindow) -> LinkController:
    """The controller of links."""
    (found,) = app.window.findChildren(LinkController)
    return found


def asking(app: AppWindow) -> OpenLinkDialog:
    """The open question about a link."""
    (found,) = (one for one in app.window.findChildren(OpenLinkDialog) if one.isVisible())
    return found


def known(app: AppWindow, keys: MemoryKeyring, address: str, name: str = "Museum") -> ConnectionProfile:
    """Remembers a connection with its password."""
    profile = ConnectionProfile(address, "root", name)
    app.context.store.note(profile)
    keys.set_password("cdb-desktop", profile.key, "admin")
    return profile


async def test_a_link_opens_its_connection(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """From the command line, in a connection of the user, whatever it is called there."""
    async with open_app() as app:
        known(app, keys, reference_server, "My museum")
        app.controller.start(Options(link=link_to(reference_server)))
        await until(lambda: app.opened)
        assert app.opened[-1].events_view.query == Query(types=("SEARCH",))
        # Pasted into the line of the same connection, it needs no question.
        view = app.opened[-1].events_view
        QApplication.clipboard().setText(link_to(reference_server).replace("SEARCH", "USER_LOGIN"))
        view.query_line.setFocus()
        QTest.keyClick(view.query_line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert view.query == Query(types=("USER_LOGIN",))
        assert not app.window.findChildren(OpenLinkDialog)


async def test_links_are_dropped(open_app: OpenApp, reference_server: str, keys: MemoryKeyring) -> None:
    """As a URL or as text, anywhere on the window; the query line inserts neither them nor files."""
    async with open_app() as app:
        unknown, link = QMimeData(), QMimeData()
        unknown.setText(f" {link_to('https://nowhere.example')}\n")
        assert drop(app.window, unknown)
        await until(lambda: app.window.notice.title == "You have no connection “Museum”")
        known(app, keys, reference_server)
        app.controller.start(Options(link=link_to(reference_server)))
        await until(lambda: app.opened)
        view = app.opened[-1].events_view
        for kind, target in (("USER_LOGIN", app.window), ("USER_LOGOUT", view.query_line)):
            link.setUrls([QUrl(link_to(reference_server).replace("SEARCH", kind))])
            assert drop(target, link)
            await until(lambda: view.query == Query(types=(kind,)))  # noqa: B023
        file = QMimeData()
        file.setUrls([QUrl.fromLocalFile("/nowhere/holiday.png")])
        file.setText("/nowhere/holiday.png")
        assert drop(view.query_line, file)
        await until(app.window.notice.isVisible)
        assert "holiday.png" in app.window.notice.title
        assert view.query_line.text() == ""
        words = QMimeData()
        words.setText("holiday")
        assert drop(view.query_line, words)
        assert view.query_line.text() == "holiday"
        two = QMimeData()
        two.setUrls([QUrl("cdb://events?v=1"), QUrl("cdb://events?v=1")])
        assert not drop(app.window, two)


async def test_a_link_waits_for_the_password(open_app: OpenApp, reference_server: str) -> None:
    """It is opened after the sign-in."""
    async with open_app() as app:
        app.context.store.note(ConnectionProfile(reference_server, "root", "Museum"))
        app.controller.start(Options(link=link_to(reference_server)))
        await until(lambda: app.is_connection_dialog_open)
        form = app.connection_dialog.form
        assert form.address.text() == reference_server
        await until(app.connection_dialog.isActiveWindow)
        QTest.keyClicks(form.password, "admin")
        QTest.keyClick(form.password, Qt.Key.Key_Return)
        await until(lambda: app.opened)
        assert app.opened[-1].events_view.query == Query(types=("SEARCH",))


async def test_an_unknown_connection_is_named(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """The last connection is not opened instead; the user chooses one, and the link is opened in it."""
    async with open_app() as app:
        profile = known(app, keys, reference_server)
        app.controller.start(Options(link=link_to("https://evil.example", "Archive")))
        assert app.window.start.choices.isVisible()
        assert app.window.notice.title == "You have no connection “Archive”"
        assert app.window.notice.text == (
            "The link is for the service at https://evil.example. "
            "Choose a connection to open the link in it, or create one (Ctrl+N)."
        )
        app.window.start.choices.opened.emit(profile)
        await until(lambda: app.opened)
        assert app.opened[-1].events_view.query == Query(types=("SEARCH",))
        assert not app.window.notice.isVisible()


async def test_a_link_to_another_connection_asks(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """Switch, open it here, or neither."""
    other = reference_server.replace("127.0.0.1", "localhost")
    async with open_app() as app:
        first = known(app, keys, reference_server)
        known(app, keys, other, "Archive")
        app.controller.open_profile(first)
        await until(lambda: app.opened)
        links(app).open(link_to(other, "Archive"))
        asked = asking(app)
        assert asked.text == (
            f"The link is for “Archive” ({other}). “Museum” is open. "
            "Unsaved changes of its schema are kept as a draft."
        )
        asked.cancel_button.click()
        assert app.opened[-1].events_view.query == Query()
        links(app).open(link_to(other, "Archive"))
        asked = asking(app)
        here = child_of(asked, QPushButton, "connection.link.here")
        assert here.text() == "Open it in “Museum”"
        here.click()
        assert app.opened[-1].events_view.query == Query(types=("SEARCH",))
        links(app).open(link_to(other, "Archive").replace("SEARCH", "USER_LOGIN"))
        asked = asking(app)
        asked.accept_button.click()
        await until(lambda: len(app.opened) == 2)
        assert app.client.address == other
        assert app.opened[-1].events_view.query == Query(types=("USER_LOGIN",))


async def test_a_link_to_nowhere_offers_a_new_connection(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """Its address is not filled in: the user would send a password to whoever wrote the link."""
    async with open_app() as app:
        app.controller.open_profile(known(app, keys, reference_server))
        await until(lambda: app.opened)
        links(app).open(link_to("https://evil.example", "Archive"))
        asked = asking(app)
        asked.accept_button.click()
        assert app.is_connection_dialog_open
        assert app.connection_dialog.form.address.text() == ""
        assert app.opened[-1].events_view.query == Query()


async def test_a_bad_link_is_explained(open_app: OpenApp) -> None:
    """With the start page behind it."""
    async with open_app() as app:
        app.controller.start(Options(link="cdb://events?profile=a&delete=all&v=1"))
        assert app.window.notice.title == "This link cannot be opened"
        assert app.window.notice.text == "It contains an unknown term “delete”."
        assert app.window.start.choices.isVisible()


def test_the_connection_is_that_of_the_address() -> None:
    """Two services may have one name; without an address the name decides."""
    test, live = (ConnectionProfile(f"https://{host}.example", "root", "Museum") for host in ("test", "live"))
    mine = ConnectionProfile("https://live.example", "me", "Production")
    profiles = (test, mine, live)
    assert fitting_profile(LinkOrigin("museum", "https://live.example"), profiles) == live
    assert fitting_profile(LinkOrigin("Other", "https://live.example"), profiles) == mine
    assert fitting_profile(LinkOrigin("Museum", "https://evil.example"), profiles) is None
    assert fitting_profile(LinkOrigin("museum"), profiles) == test
    assert fitting_profile(LinkOrigin("Archive"), profiles) is None


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_noting: list[Callable[[str, tuple[object, ...]], None]] = []
_is_hooked = False


def _audit(event: str, given: tuple[object, ...]) -> None:
    for note in _noting:
        note(event, given)


@contextmanager
def deeds() -> Iterator[list[tuple[str, object]]]:
    """A list of what is contacted, written, removed and started meanwhile."""
    done: list[tuple[str, object]] = []

    def note(event: str, given: tuple[object, ...]) -> None:
        is_write = event == "open" and isinstance(given[2], int) and given[2] & _WRITING
        if is_write or event.startswith(
            ("socket.connect", "socket.getaddrinfo", "subprocess", "os.", "shutil.")
        ):
            done.append((event, given[0] if given else None))

    global _is_hooked  # noqa: PLW0603  # a hook cannot be removed
    if not _is_hooked:
        sys.addaudithook(_audit)
        _is_hooked = True
    _noting.append(note)
    try:
        yield done
    finally:
        _noting.remove(note)


def files_below(folder: Path) -> dict[Path, int]:
    """All files with the time of their last change."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("is_start", [True, False], ids=["as the argument", "in a running window"])
async def test_hostile_links_do_nothing(open_app: OpenApp, tmp_path: Path, *, is_start: bool) -> None:
    """No host is contacted, no file written, no program started, and the window stays usable.

    Those that are valid links name a service that the user does not have.
    """
    async with open_app() as app:
        app.context.store.note(ConnectionProfile("https://mine.example", "root", "Mine"))
        app.context.settings.sync()
        before = files_below(tmp_path)
        with deeds() as done:
            for text in hostile_links(150, seed=7 + is_start):
                if is_start:
                    app.controller.start(Options(link=text))
                else:
                    links(app).open(text)
                assert app.window.notice.isVisible()
            await asyncio.sleep(0.2)
        app.context.settings.sync()
        assert done == []
        assert files_below(tmp_path) == before
        assert app.opened == []
        assert app.window.start.choices.isVisible()
