"""Named views: kept from one start to the next, opened, shared as files. Asks no service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QMenu

from cdb_desktop.events.saved_views import (
    OtherVersionError,
    SavedView,
    ViewFileError,
    as_file,
    decoded,
    encoded,
    from_file,
    saved,
)
from cdb_desktop.ui.events.name_popup import NamePopup
from cdb_desktop.ui.events.phrases import query_words
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.widgets.folders import documents

_KEY = "events/views"
_SUFFIX = "cdbview"
_RECENT = 15  # queries that are offered again
_WIDEST = 90  # characters of a line of a menu


class ViewKeeping(QObject):
    """The views of a user, and the menu in which they stand."""

    def __init__(self, view: EventsView, settings: QSettings) -> None:
        super().__init__(view)
        self._view = view
        self._settings = settings
        self._folder = documents()

    @property
    def views(self) -> tuple[SavedView, ...]:
        """All that are kept, by name."""
        return decoded(str(self._settings.value(_KEY, "")))

    def open_menu(self) -> None:
        """Offers the views, and what can be done with them."""
        menu = QMenu(self._view)
        menu.setObjectName("events.views.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for view in self.views:
            menu.addAction(_plain(view.name)).triggered.connect(partial(self.show, view))
        menu.addSeparator()
        self._add_recent(menu)
        menu.addAction(self.tr("&Save this view…")).triggered.connect(self._ask_name)
        if self.views:
            forget = menu.addMenu(self.tr("&Forget"))
            for view in self.views:
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
        asked = menu.addMenu(self.tr("Asked &before"))
        for query in recent:
            words = _plain(_short(query_words(query, self._view.editing.seen)))
            asked.addAction(words).triggered.connect(partial(self._view.query_requested.emit, query))

    def show(self, view: SavedView) -> None:
        """Asks the query of a view and sets its columns."""
        self._view.columns.apply(view.columns)
        self._view.query_requested.emit(view.query)
        self._view.count.tell(self.tr("View: %1").replace("%1", view.name))

    def save(self, name: str) -> None:
        """Keeps what is shown under a name; one that had it is replaced."""
        self._keep(saved(self.views, self._present(name)))
        self._view.count.tell(self.tr("View saved: %1").replace("%1", name))

    def forget(self, name: str) -> None:
        """Forgets a view; what is shown stays."""
        self._keep(tuple(view for view in self.views if view.name != name))

    def share(self, target: Path) -> None:
        """Writes what is shown as a file for others."""
        try:
            target.write_bytes(as_file(self._present(target.stem)))
        except OSError as error:
            self._tell(self.tr("Not written: %1").replace("%1", error.strerror or str(error)))
        else:
            self._folder = str(target.parent)
            self._view.count.tell(self.tr("Written: %1").replace("%1", target.name))

    def open_file(self, source: Path) -> None:
        """Shows and keeps the view in a file, or says why there is none."""
        try:
            view = from_file(source.read_bytes())
        except OSError as error:
            self._tell(self.tr("Not opened: %1").replace("%1", error.strerror or str(error)))
        except OtherVersionError as error:
            text = self.tr("This view was written by another version of the program (format %1, here 1).")
            self._tell(text.replace("%1", str(error.version)))
        except ViewFileError:
            self._tell(self.tr("This file holds no view of events, or a broken one."))
        else:
            self._keep(saved(self.views, view))
            self.show(view)

    def _present(self, name: str) -> SavedView:
        return SavedView(name, self._view.editing.query, self._view.columns.states)

    def _keep(self, views: tuple[SavedView, ...]) -> None:
        self._settings.setValue(_KEY, encoded(views))

    def _tell(self, text: str) -> None:
        self._view.notice.show_notice("warning", self.tr("Views"), text)

    def _ask_name(self) -> None:
        popup = NamePopup(self._view.appearance, [view.name for view in self.views], self._view)
        popup.accepted.connect(lambda: self._save_named(popup.name))
        popup.open_below(self._view.views_button)

    def _save_named(self, name: str) -> None:
        if name:
            self.save(name)

    def _ask_target(self) -> None:
        dialog = self._dialog(self.tr("Share this view"), self.share)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(_SUFFIX)
        dialog.open()

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
