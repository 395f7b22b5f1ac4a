"""The main window: header, navigation rail, pages, live dock and status bar; it stores its layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSettings, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QColor,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import ServerErrorDetails, Session
from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.connection.start_view import StartView
from cdb_desktop.ui.shell.edit_actions import EditActions
from cdb_desktop.ui.shell.header import FileReportNotice, WindowHeader
from cdb_desktop.ui.shell.manual.controller import ManualController
from cdb_desktop.ui.shell.page_interfaces import PageContext
from cdb_desktop.ui.shell.status_bar import StatusBar
from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.theme.measures import CAPTION, GAP, RAIL, RAIL_ICON, TIGHT, scaled
from cdb_desktop.ui.theme.style import RINGED
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.menus import enable_menu_key
from cdb_desktop.ui.widgets.notice import NoticeBar, NoticeStack
from cdb_desktop.ui.widgets.settings import set_value_aside
from cdb_desktop.vocabulary.error_messages import ErrorMessage

if TYPE_CHECKING:
    from cdb_desktop.ui.live import recording
    from cdb_desktop.ui.shell import errors as errors_view
    from cdb_desktop.ui.shell.manual import topics
    from cdb_desktop.ui.shell.palette import keys_overlay, palette, sources
    from cdb_desktop.ui.shell.settings import controller as settings_controller
    from cdb_desktop.ui.shell.settings import view as settings_view
    from cdb_desktop.ui.shell.settings.view import SettingsView
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    recording = lazy("cdb_desktop.ui.live.recording")
    topics = lazy("cdb_desktop.ui.shell.manual.topics")
    keys_overlay = lazy("cdb_desktop.ui.shell.palette.keys_overlay")
    palette = lazy("cdb_desktop.ui.shell.palette.palette")
    sources = lazy("cdb_desktop.ui.shell.palette.sources")
    settings_controller = lazy("cdb_desktop.ui.shell.settings.controller")
    errors_view = lazy("cdb_desktop.ui.shell.errors")
    settings_view = lazy("cdb_desktop.ui.shell.settings.view")


_DEFAULT_WIDTH, _DEFAULT_HEIGHT = 1280, 800
_FRAME = 40  # pixels of the window manager's frame above and below
_RECORDINGS = ("live_record", "live_keep")
_REMEMBERED_PAGES = ("events", "schema")
_AT_TOP, _AT_FOOT = ("events", "schema", "errors"), ("live", "settings")


class MainWindow(QMainWindow):
    """Pages are shown with ``open`` or ``open_model`` and removed with ``leave``."""

    def __init__(self, appearance: Appearance, settings: QSettings) -> None:
        super().__init__()
        self._settings = settings
        self._service = ""
        self._is_file = False
        self._is_opening = False
        self.actions_by_name = Actions(appearance, self)
        self.start = StartView(appearance, self.actions_by_name)
        self.page_context = PageContext(appearance, settings, self.actions_by_name)
        self.offline_pages = OfflinePages(self.page_context, self)
        self.status = StatusBar(appearance)
        self._header = WindowHeader(appearance, self.actions_by_name)
        self.notice = self._header.notice
        self.manual = ManualController(self, appearance, settings, self.actions_by_name, self.notice)
        self.file_reports = FileReportNotice(self._header.file_notice)
        self._pages = PageStack(self.actions_by_name, self.start, self.offline_pages.makers)
        self._live = LiveDock(self, self.actions_by_name)
        self._overlays = Overlays(self.page_context, lambda: self.offline_pages.settings, self)
        self._create_layout(appearance)
        follow_appearance(self.actions_by_name, appearance)
        enable_menu_key(self)
        EditActions(self, self._header.menu_of("undo", self.actions_by_name), self.actions_by_name)
        self._connect()
        self._restore_layout()
        self.leave()

    def open(
        self,
        workspace: Workspace,
        session: Session,
        service: str,
        colour: str,
        *,
        is_file: bool = False,
    ) -> None:
        """Shows the pages of a connection; ``colour`` is that of its profile, such as ``#1F5FBF``.

        ``is_file``: ``service`` is the name of a log file, which is only read.
        """
        self._service, self._is_file = service, is_file
        self.show_session(session)
        self._is_opening = True
        self._overlays.sources = lambda: workspace.palette_sources
        self._pages.set_pages(dict(workspace.pages))
        self._is_opening = False
        self.start.reset()
        self._live.set_feed(workspace.feed, workspace.live_view.strip)
        if is_file:
            self.actions_by_name.set_possible("model_close", possible=True)
        self._header.show_colour(colour)
        for page in (*workspace.pages.values(), workspace.feed):
            self._explain_failures(page)
            for notices in page.findChildren(NoticeStack):
                notices.wait_for(self.notice)
        workspace.page_made.connect(self._explain_failures)
        self.offline_pages.details_requested.connect(workspace.look_up)
        workspace.looked_up.connect(self._show_details)
        workspace.not_looked_up.connect(self._show_details_failure)
        workspace.details_offered.connect(self._offer_details)
        self.offline_pages.show_service(connected=True)

    def open_model(self, page: QWidget, name: str, found_by: Sequence[sources.PaletteSource] = ()) -> None:
        """Shows the schema page of a model file; the start page takes the place of the event browser.

        ``found_by`` are what the palette finds in it.
        """
        self._overlays.sources = lambda: found_by
        actions = self.actions_by_name
        actions.offer(None, offline=True)
        actions.set_possible("model_close", possible=True)
        self._pages.set_pages({"schema": page})
        actions["schema"].setChecked(True)
        self.start.reset()
        self._explain_failures(page)
        self._show_title(name)
        self.status.show_file(name)

    def _offer_details(self, has_details: bool) -> None:
        self.offline_pages.show_service(connected=True, has_details=has_details)

    def show_session(self, session: Session) -> None:
        """Enables what this session may do, which may be a new session of the same connection."""
        user = session.user.displayname if session.user else ""
        self.actions_by_name.offer(session.allows, is_log_file=self._is_file)
        if self._is_file:
            self._show_title(self._service)
            self.status.show_log_file(self._service)
            return
        self._show_title(f"{self._service} · {user}")
        self.status.show_connection(self._service, user)

    def leave(self) -> None:
        """Removes the pages and shows the start page."""
        self.end_recordings()
        self._is_file = False
        self._overlays.sources = tuple
        self.actions_by_name.offer(None)
        self.actions_by_name.set_possible("model_close", possible=False)
        self.offline_pages.show_service(connected=False)
        self._live.hide()
        self._header.show_colour(None)
        self._pages.remove_pages()
        self._show_nobody()
        self._live.remove_feed()

    def explain(self, code: str) -> None:
        """Explains an error code."""
        self.actions_by_name["errors"].setChecked(True)
        self.offline_pages.errors.explain(code)

    def after_recordings(self, then: Callable[[], object]) -> None:
        """Calls ``then``: at once, or when the user has agreed to end the recordings that run."""
        if self._is_recording:
            dialog = recording.EndRecordingDialog(self.page_context.appearance, self)
            dialog.accepted.connect(self.end_recordings)
            dialog.accepted.connect(then)
            dialog.open()
        else:
            then()

    @property
    def _is_recording(self) -> bool:
        return any(self.actions_by_name[name].isChecked() for name in _RECORDINGS)

    def end_recordings(self) -> None:
        """Ends the recordings of the live feed, whose files are then complete."""
        for name in _RECORDINGS:
            self.actions_by_name[name].setChecked(False)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Asks before recordings end."""
        if self._is_recording:
            event.ignore()
            self.after_recordings(self.close)
            return
        self._settings.setValue("window/geometry", self.saveGeometry())
        self._settings.setValue("window/docks", self.saveState())
        self.manual.close_window()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape closes the notice, unless the widget that has the focus uses it."""
        if event.key() == Qt.Key.Key_Escape and self.notice.isVisible():
            self.notice.hide()
        else:
            super().keyPressEvent(event)

    def _show_title(self, title: str) -> None:
        self.setWindowTitle(visible(title))

    def _show_nobody(self) -> None:
        if not self._pages.has_pages:
            state = self.start.attempt or tr("Not connected")
            self._show_title(state)
            self.status.show_nobody(state)

    def _create_layout(self, appearance: Appearance) -> None:
        actions = self.actions_by_name
        self.setMenuWidget(self._header)
        rail = NavigationRail(
            appearance, [actions[name] for name in _AT_TOP], [actions[name] for name in _AT_FOOT]
        )
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, rail)
        self.setCentralWidget(self._pages)
        self.setStatusBar(self.status)
        self.addActions([actions[name] for name in actions if not actions.spec(name).scoped])

    def _connect(self) -> None:
        actions = self.actions_by_name
        actions["quit"].triggered.connect(self.close)
        # Also in the window of the manual.
        actions["quit"].setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        self.status.sign_in_requested.connect(actions["sign_in"].trigger)
        self.status.alarms_requested.connect(actions["alarms"].trigger)
        actions["explain"].triggered.connect(self._open_errors)
        actions["about"].triggered.connect(self._open_about)
        self.offline_pages.made.connect(self._pages.add)
        self.offline_pages.leave_requested.connect(self._pages.go_back)
        self.notice.explain_requested.connect(self.explain)
        self._explain_failures(self.start)
        self.start.attempt_changed.connect(self._show_nobody)

    def _explain_failures(self, page: QWidget) -> None:
        for picture in page.findChildren(EmptyState):
            picture.explain_requested.connect(self.explain)
        for notice in page.findChildren(NoticeBar):
            notice.explain_requested.connect(self.explain)

    def _show_details(self, found: ServerErrorDetails) -> None:
        self.offline_pages.errors.show_details(found)

    def _show_details_failure(self, message: ErrorMessage) -> None:
        self.offline_pages.errors.show_details_failure(message)

    def _open_errors(self) -> None:
        self.actions_by_name["errors"].setChecked(True)
        self.offline_pages.errors.search.setFocus()

    def _open_about(self) -> None:
        self.actions_by_name["settings"].setChecked(True)
        self.offline_pages.settings.show_about()

    def _restore_layout(self) -> None:
        room = self.screen().availableSize()
        self.resize(min(_DEFAULT_WIDTH, room.width()), min(_DEFAULT_HEIGHT, room.height() - _FRAME))
        for key, restore in (("geometry", self.restoreGeometry), ("docks", self.restoreState)):
            kept = self._settings.value(f"window/{key}")
            if kept is None or (isinstance(kept, QByteArray) and restore(kept)):
                continue
            # Qt also refuses a geometry of a screen that is much wider or narrower than this one.
            if key == "docks" or not self._is_geometry(kept):
                set_value_aside(self._settings, f"window/{key}", "a layout of a window")
        self._live.ensure_docked()
        actions = self.actions_by_name
        for name in _REMEMBERED_PAGES:
            if self._settings.value(f"window/{name}", False, type=bool) is True:
                actions[name].setChecked(True)
            actions[name].toggled.connect(partial(self._store_page, name))
        self._restore_live(actions.page)
        actions.page_shown.connect(self._restore_live)
        actions["live"].toggled.connect(self._store_live)

    def _restore_live(self, page: str) -> None:
        """Shows the live feed beside the page on which it was shown; at first only beside the events."""
        shown = self._settings.value(_live_key(page), page == "events", type=bool) is True
        self.actions_by_name["live"].setChecked(shown)

    def _store_live(self, shown: bool) -> None:
        self._settings.setValue(_live_key(self.actions_by_name.page), shown)

    def _is_geometry(self, value: object) -> bool:
        """Whether ``saveGeometry`` of any version of Qt can have returned a value: it begins with a mark."""
        return isinstance(value, QByteArray) and value.startsWith(self.saveGeometry().first(4))

    def _store_page(self, name: str, chosen: bool) -> None:
        # At once, since a program that is killed does not get to the end. A page that `open` shows because a
        # right is missing is not the user's choice.
        if chosen and not self._is_opening:
            for page in _REMEMBERED_PAGES:
                self._settings.setValue(f"window/{page}", page == name)


def _live_key(page: str) -> str:
    # The name that versions with one choice for all pages have used is that of the first page.
    return "window/live" if page == "events" else f"window/live_{page}"


class Overlays(QObject):
    """Opens the command palette and the overlay of all keys, one at a time; creates them when first used.

    ``sources`` returns what the palette finds in the connection.
    """

    def __init__(
        self,
        context: PageContext,
        settings: Callable[[], SettingsView],
        window: QWidget,
    ) -> None:
        """``settings`` returns the page of settings."""
        super().__init__(window)
        self.sources: Callable[[], Sequence[sources.PaletteSource]] = tuple
        self._settings = settings
        self._window = window
        self._context = context
        self._actions = actions = context.actions
        self._palette: palette.CommandPalette | None = None
        self._keys: keys_overlay.KeysOverlay | None = None
        actions["palette"].triggered.connect(self._open_palette)
        actions["keys"].triggered.connect(self._open_keys)

    def _open_palette(self) -> None:
        if self._keys is not None:
            self._keys.close_overlay()
        if self._palette is None:
            show_page = partial(self._actions["settings"].setChecked, True)
            own_sources = (
                sources.ActionSource(self._actions, self._context.settings),
                settings_controller.SettingSource(self._settings, show_page),
                topics.ManualSource(self._actions["manual"].icon()),
            )
            self._palette = palette.CommandPalette(self._window, self._context.appearance, own_sources)
        self._palette.open_palette(self.sources())

    def _open_keys(self) -> None:
        if self._palette is not None:
            self._palette.close_overlay()
        self._keys = self._keys or keys_overlay.KeysOverlay(
            self._window, self._context.appearance, self._actions
        )
        self._keys.open_keys(self._menu_in_use())

    def _menu_in_use(self) -> str:
        """The title of the menu for the widget that has the focus: that of the live feed, or of the page."""
        dock, focus = self._window.findChild(QDockWidget, "live"), QApplication.focusWidget()
        if dock is not None and focus is not None and dock.isAncestorOf(focus):
            return self._actions.spec("pause").menu
        page, specs = self._actions.page, map(self._actions.spec, self._actions)
        return next((spec.menu for spec in specs if page and spec.page == page), "")


def follow_appearance(actions: Actions, appearance: Appearance) -> None:
    """Connects the actions of the color schemes and of the navigation rail with ``appearance``."""
    group = QActionGroup(actions)
    for choice in get_args(Choice):
        action = actions[choice]
        group.addAction(action)
        action.triggered.connect(partial(appearance.choose, choice))

    def check() -> None:
        actions[appearance.choice].setChecked(True)
        actions["page_names"].setChecked(appearance.has_page_names)

    actions["page_names"].triggered.connect(appearance.choose_page_names)
    appearance.changed.connect(check)
    check()


_FIRST = "events"
_OF_CONNECTION = ("events", "schema")
_RIGHTS = {
    "events": "system.api.event.get"
}  # of pages that are available without it, but have nothing to show


class PageStack(QStackedWidget):
    """One page for each action of the navigation rail; the pages of a connection are put in and removed."""

    def __init__(
        self, actions: Actions, start: QWidget, offline: Mapping[str, Callable[[], QWidget]]
    ) -> None:
        """``start`` is shown without a connection; ``offline`` returns the pages that need none."""
        super().__init__()
        self._actions = actions
        self._start = start
        self._offline = dict(offline)
        self._pages: dict[str, QWidget] = {}
        self._before = _FIRST
        self._now = _FIRST
        self.addWidget(start)
        group = QActionGroup(self)
        for name in (*_OF_CONNECTION, *offline):
            group.addAction(actions[name])
            actions[name].toggled.connect(self._choose)
        actions[_FIRST].setChecked(True)
        self._show()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The largest of all pages; that of the start page only while it is shown."""
        least, shown = QSize(), self.currentWidget()
        for page in map(self.widget, range(self.count())):
            if page is not None and (page is not self._start or page is shown):
                least = least.expandedTo(page.minimumSizeHint().expandedTo(page.minimumSize()))
        return least

    @property
    def has_pages(self) -> bool:
        """Whether there are pages of a connection or a file."""
        return bool(self._pages)

    def set_pages(self, pages: Mapping[str, QWidget]) -> None:
        """Adds the pages of a connection, and shows the chosen one, or else the first that is allowed."""
        self._pages = dict(pages)
        for page in pages.values():
            self.addWidget(page)
        if self._now not in self._offline and not self._is_usable(self._now):
            # Otherwise the first page shows which right is missing.
            usable = (name for name in pages if self._is_usable(name))
            self._actions[next(usable, _FIRST)].setChecked(True)
        self._show()

    def add(self, page: QWidget) -> None:
        """Adds a page that needs no connection."""
        self.addWidget(page)

    def remove_pages(self) -> None:
        """Removes and deletes the pages of the connection."""
        pages, self._pages = self._pages, {}
        self._show()
        for page in pages.values():
            self.removeWidget(page)
            page.deleteLater()

    def go_back(self) -> None:
        """Shows the page of the connection that was shown last."""
        self._actions[self._before].setChecked(True)

    def _is_usable(self, name: str) -> bool:
        right = _RIGHTS.get(name, "")
        return not self._actions.obstacle(name) and (not right or self._actions.is_allowed(right))

    def _choose(self, chosen: bool) -> None:
        if not chosen:
            return
        name = next(name for name in (*_OF_CONNECTION, *self._offline) if self._actions[name].isChecked())
        if self._now in _OF_CONNECTION:
            self._before = self._now
        self._now = name
        self._show()

    def _show(self) -> None:
        self._actions.show_page(self._now)
        self.setCurrentWidget(self._page())
        self.updateGeometry()

    def _page(self) -> QWidget:
        make = self._offline.get(self._now)
        return make() if make else self._pages.get(self._now, self._start)


class OfflinePages(QObject):
    """The pages of errors and settings, each created when it is first shown.

    Signals: ``made`` with each page · ``settings_made`` with the SettingsView · ``details_requested`` with
    the uuid of a server error · ``leave_requested`` on Escape.
    """

    made = Signal(QWidget)
    settings_made = Signal(object)
    details_requested = Signal(str)
    leave_requested = Signal()

    def __init__(self, context: PageContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._service = False, True

    @cached_property
    def errors(self) -> errors_view.ErrorsView:
        """The page that explains errors."""
        page = errors_view.ErrorsView(self._context.appearance)
        page.show_service(connected=self._service[0], has_details=self._service[1])
        page.details_requested.connect(self.details_requested)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        return page

    @cached_property
    def settings(self) -> settings_view.SettingsView:
        """The page of settings."""
        page = settings_view.SettingsView(self._context.appearance)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        self.settings_made.emit(page)
        return page

    @property
    def makers(self) -> dict[str, Callable[[], QWidget]]:
        """The pages by the names of their actions, as functions."""
        return {"errors": lambda: self.errors, "settings": lambda: self.settings}

    def show_service(self, *, connected: bool, has_details: bool = True) -> None:
        """Enables what requires a connection on these pages; ``has_details`` is of errors of the service."""
        self._service = connected, has_details
        if "errors" in self.__dict__:
            self.errors.show_service(connected=connected, has_details=has_details)


_AREAS = {
    "live_bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
    "live_right": Qt.DockWidgetArea.RightDockWidgetArea,
}
_HEIGHT, _WIDTH = 220, 440


class LiveDock(QDockWidget):
    """Is moved by actions only: dragging it off beside its edge would happen by accident.

    Its area is stored with the window's layout.
    """

    def __init__(self, window: QMainWindow, actions: Actions) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self.setObjectName("live")
        self.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        self.setAllowedAreas(_AREAS["live_bottom"] | _AREAS["live_right"])
        self.setWindowTitle(tr("Live feed"))
        self.move_to("live_bottom")
        self._connect()

    def set_feed(self, feed: QWidget, title: QWidget) -> None:
        """Shows the feed of a connection."""
        self.setWidget(feed)
        self.setTitleBarWidget(title)
        self._show()

    def remove_feed(self) -> None:
        """Deletes the feed of a connection that has ended, and its title bar."""
        feed, title = self.widget(), self.titleBarWidget()
        # None restores Qt's own title bar.
        self.setTitleBarWidget(None)  # type: ignore[arg-type]
        for part in filter(None, (title, feed)):
            part.setParent(None)
            part.deleteLater()

    def ensure_docked(self) -> None:
        """Docks it if a restored layout has it floating, since it cannot be dragged back."""
        if self.isFloating():
            self.move_to("live_bottom")
        self._check(self._window.dockWidgetArea(self))

    def move_to(self, place: str) -> None:
        """Moves to the area of an action."""
        self.setFloating(False)
        self._window.addDockWidget(_AREAS[place], self)
        if place == "live_right":
            self._window.resizeDocks([self], [_WIDTH], Qt.Orientation.Horizontal)
        else:
            self._window.resizeDocks([self], [_HEIGHT], Qt.Orientation.Vertical)
        self._check(_AREAS[place])

    def _show(self) -> None:
        # Without a connection, and beside the events of a file, the action is not available.
        action = self._actions["live"]
        self.setVisible(action.isChecked() and action.isEnabled())

    def _choose(self, place: str) -> None:
        if self._window.dockWidgetArea(self) != _AREAS[place]:
            self.move_to(place)
        self._actions["live"].setChecked(True)

    def _check(self, area: Qt.DockWidgetArea) -> None:
        for place, its in _AREAS.items():
            if its == area:
                self._actions[place].setChecked(True)

    def _connect(self) -> None:
        group = QActionGroup(self)
        for place in _AREAS:
            group.addAction(self._actions[place])
            self._actions[place].triggered.connect(partial(self._choose, place))
        self._actions["live"].toggled.connect(self._show)
        self.dockLocationChanged.connect(self._check)


_EDGE = 3


class NavigationRail(QToolBar):
    """Buttons at the top and at the bottom. A tool bar, so that docks are placed beside it."""

    def __init__(self, appearance: Appearance, top: list[QAction], foot: list[QAction]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setMovable(False)
        self.toggleViewAction().setEnabled(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._appearance = appearance
        content = QWidget(self)
        self._buttons = [_RailButton(action, appearance, content) for action in (*top, *foot)]
        layout = lay_out(QVBoxLayout(content), *self._buttons, margins=(0, GAP, 0, GAP), spacing=TIGHT)
        layout.insertStretch(len(top), 1)
        self.addWidget(content)
        own = self.layout()
        if own is not None:
            own.setContentsMargins(0, 0, 0, 0)
        self.setWindowTitle(tr("Pages"))
        self._resize()
        appearance.changed.connect(self._resize)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            line = self.palette().mid().color()
            painter.fillRect(self.width() - 1, 0, 1, self.height(), line)

    def _resize(self) -> None:
        """Gives all buttons the width of the longest name, or that of an icon."""
        width = RAIL - 1
        if self._appearance.has_page_names:
            width = max(width, *(button.name_width + GAP for button in self._buttons))
        for button in self._buttons:
            button.resize_to(width)
        self.setFixedWidth(width + 1)


class _RailButton(QAbstractButton):
    def __init__(self, action: QAction, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._action = action
        self._appearance = appearance
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setProperty(RINGED, True)
        self.setFont(scaled(self.font(), CAPTION))
        self.setObjectName(f"rail.{action.objectName().removeprefix('action.')}")
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @property
    def name_width(self) -> int:
        """The width of the name in pixels."""
        return QFontMetrics(self.font()).horizontalAdvance(self._name)

    def resize_to(self, width: int) -> None:
        """Sets the width, and the height of the icon with the name, if there is one."""
        below = self.fontMetrics().height() + TIGHT if self._appearance.has_page_names else 0
        self.setFixedSize(QSize(width, RAIL - GAP + below))
        self.update()

    @property
    def _name(self) -> str:
        # The title of the feed is longer than those of the pages.
        is_live = self.objectName() == "rail.live"
        return tr("Live") if is_live else plain(self._action.text())

    def nextCheckState(self) -> None:  # noqa: N802
        """Follows the action only: a click on the page that is shown changes nothing."""

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.underMouse() and self.isEnabled():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(tokens.selected))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(GAP - 1, 2, -GAP, -2), 6, 6)
            if self.isChecked() and self.isEnabled():
                painter.fillRect(0, GAP, _EDGE, self.height() - 2 * GAP, QColor(tokens.accent))
            mode = QIcon.Mode.Normal if self.isEnabled() else QIcon.Mode.Disabled
            state = QIcon.State.On if self.isChecked() else QIcon.State.Off
            place = QRect(0, 0, RAIL_ICON, RAIL_ICON)
            place.moveCenter(self.rect().center())
            if self._appearance.has_page_names:
                place.moveTop(GAP)
                painter.setPen(self.palette().color(self.foregroundRole()))
                below = self.rect().adjusted(0, place.bottom(), 0, -TIGHT)
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, self._name)
            self._action.icon().paint(painter, place, Qt.AlignmentFlag.AlignCenter, mode, state)

    def _follow(self) -> None:
        self.setChecked(self._action.isChecked())
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
        self.setAccessibleName(plain(self._action.text()))
        self.update()
