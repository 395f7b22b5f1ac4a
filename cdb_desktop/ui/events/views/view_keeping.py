"""Named views: kept from one start to the next, opened, shared as files. Asks no service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QMenu

from cdb_desktop.events.saved_views import SavedSearch, SavedView, ViewStore, added, one_line, saved
from cdb_desktop.events.view_files import SUFFIX, ViewFileError, as_file, file_name, from_file
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.ui.events.browser.phrases import query_words
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views.name_popup import NamePopup
from cdb_desktop.ui.events.views.view_file_words import reason_words
from cdb_desktop.ui.widgets.files import documents_folder

_KEY = "events/views"  # where earlier versions have kept them
_FILE = "views.json"  # beside the settings
_RECENT = 15  # queries that are offered again
_WIDEST = 90  # characters of a line of a menu


class ViewKeeping(QObject):
    """The views of a user, and the menu in which they stand."""

    def __init__(self, view: EventsView, settings: QSettings) -> None:
        super().__init__(view)
        self._view = view
        file = Path(settings.fileName()).parent / _FILE
        self._store = ViewStore(file, lambda: str(settings.value(_KEY, "")))
        self._folder = documents_folder()
        self._shown: SavedView | None = None
        self._awaited: SavedView | None = None
        view.result_shown.connect(self._search)
        self._told = ""

    @property
    def views(self) -> tuple[SavedView, ...]:
        """All that are kept, by name; empty where they cannot be read, which is told."""
        try:
            return self._store.read()
        except OSError as error:
            title = self.tr("The saved views cannot be read")
            self._view.notice.show_notice("warning", title, reason_words(error))
            return ()

    def open_menu(self) -> None:
        """Offers the views, and what can be done with them."""
        menu = QMenu(self._view)
        menu.setObjectName("events.views.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        views = self.views
        for view in views:
            menu.addAction(_plain(view.name)).triggered.connect(partial(self.show, view))
        menu.addSeparator()
        self._add_recent(menu)
        menu.addAction(self.tr("&Save this view…")).triggered.connect(self._ask_name)
        if views:
            forget = menu.addMenu(self.tr("&Forget"))
            for view in views:
                forget.addAction(_plain(view.name)).triggered.connect(partial(self.forget, view.name))
        menu.addSeparator()
        menu.addAction(self.tr("S&hare as a file…")).triggered.connect(self._ask_target)
        menu.addAction(self.tr("&Open a file…")).triggered.connect(self._ask_file)
        button = self._view.views_button
        # Its right edge at that of the button: else it hangs out of the window.
        left = button.width() - menu.sizeHint().width() if button.isLeftToRight() else 0
        menu.popup(button.mapToGlobal(QPoint(min(0, left), button.height())))

    def _add_recent(self, menu: QMenu) -> None:
        """What was asked before, also before the last start; Alt+Left goes through the same."""
        recent = self._view.history.recent(_RECENT)
        if not recent:
            return
        asked = menu.addMenu(self.tr("&Recent queries"))
        for query in recent:
            words = _plain(_short(query_words(query, self._view.editing.seen)))
            asked.addAction(words).triggered.connect(partial(self._view.query_requested.emit, query))

    def show(self, view: SavedView) -> None:
        """Asks the query of a view, sets its columns, and searches as it did."""
        self._shown, self._awaited = view, None
        self._forget_trouble()
        self._view.columns.apply(view.columns)
        has_rows = self._view.has_rows and view.query == self._view.editing.query
        self._show_search(view.search)
        self._awaited = view
        self._view.query_requested.emit(view.query)
        if has_rows:
            self._search()
        self._view.count.tell(self.tr("View: %1").replace("%1", view.name))

    def _show_search(self, search: SavedSearch | None) -> None:
        panel = self._view.around.search
        if search is not None:
            self._view.around.open_search()
            panel.show_saved(search)
        elif not panel.isHidden():
            panel.close_requested.emit()

    def _search(self) -> None:
        """The rows of a view are there: they are searched as it says."""
        view, self._awaited = self._awaited, None
        if view is not None and view.search is not None and view.query == self._view.editing.query:
            self._view.around.search.search_saved(view.search)

    def save(self, name: str) -> None:
        """Keeps what is shown under a name; one that had it is replaced."""
        shown = self._present(name)
        if self._change(lambda views: saved(views, shown)):
            self._shown = shown
            self._forget_trouble()
            self._view.count.tell(self.tr("View saved: %1").replace("%1", name))

    def forget(self, name: str) -> None:
        """Forgets a view; what is shown stays."""
        self._change(lambda views: tuple(view for view in views if view.name != name))

    def share(self, target: Path) -> None:
        """Writes what is shown as a file for others; the view in it has its own name, if it has one."""
        try:
            write_whole(target, as_file(self._present(self._name or one_line(target.stem))), private=False)
        except OSError as error:
            self._tell(self.tr("Not written: %1"), target, error)
        else:
            self._folder = str(target.parent)
            self._forget_trouble()
            self._view.count.tell(self.tr("Written: %1").replace("%1", one_line(target.name)))

    def open_file(self, source: Path) -> None:
        """Shows and keeps the view in a file under a name of its own, or says why there is none."""
        try:
            view = from_file(source.read_bytes())
        except (OSError, ViewFileError) as error:
            self._tell(self.tr("Not opened: %1"), source, error)
            return
        self._folder = str(source.parent)
        view = added(self.views, view)
        is_kept = self._change(lambda views: saved(views, view))
        notice = self._view.notice.title, self._view.notice.text
        self.show(view)
        if not is_kept:
            self._view.notice.show_notice("warning", *notice)

    @property
    def _name(self) -> str:
        """That of the view that is still asked for, empty for none."""
        shown, query = self._shown, self._view.editing.query
        return shown.name if shown is not None and shown.query == query else ""

    def _present(self, name: str) -> SavedView:
        search = self._view.around.search.saved
        return SavedView(name, self._view.editing.query, self._view.columns.states, search)

    def _change(self, change: Callable[[tuple[SavedView, ...]], tuple[SavedView, ...]]) -> bool:
        """Changes what is kept, with what other windows have saved meanwhile; False if it failed."""
        try:
            self._store.change(change)
        except OSError as error:
            title = self.tr("The views could not be saved")
            self._view.notice.show_notice("danger", title, reason_words(error))
            return False
        return True

    def _tell(self, words: str, file: Path, error: OSError | ViewFileError) -> None:
        title = words.replace("%1", one_line(file.name))
        self._told = reason_words(error)
        self._view.notice.show_notice("warning", title, self._told)

    def _forget_trouble(self) -> None:
        """What has gone wrong with a file before is over; a notice of anything else stays."""
        if self._told and self._view.notice.text == self._told:
            self._view.notice.hide()
        self._told = ""

    def _ask_name(self) -> None:
        names, searches = [view.name for view in self.views], self._view.around.search.saved is not None
        popup = NamePopup(self._view.appearance, names, self._view, searches=searches)
        popup.accepted.connect(lambda: self._save_named(popup.name))
        popup.open_below(self._view.views_button)

    def _save_named(self, name: str) -> None:
        if name:
            self.save(name)

    def _ask_target(self) -> None:
        dialog = self._dialog(self.tr("Share this view"), self.share)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX)
        dialog.selectFile(file_name(self._name or self._asked))
        dialog.open()

    @property
    def _asked(self) -> str:
        """What is shown in words, for want of a name."""
        return one_line(query_words(self._view.editing.query, self._view.editing.seen))

    def _ask_file(self) -> None:
        dialog = self._dialog(self.tr("Open a view"), self.open_file)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def _dialog(self, title: str, take: Callable[[Path], None]) -> QFileDialog:
        dialog = QFileDialog(self._view, title, self._folder)
        dialog.setObjectName("events.views.dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilter(self.tr("Views of events (*.cdbview)"))
        dialog.fileSelected.connect(lambda path: take(Path(path)))
        return dialog


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _plain(name: str) -> str:
    return name.replace("&", "&&")
