"""Saved views: their menu, storage and files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QCompleter,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QWidget,
)

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.alarm_rules import (
    MOST_SECONDS,
    AlarmKind,
    AlarmRule,
    ProfileAlarms,
    alarms_file,
    with_rule,
    without_rule,
)
from cdb_desktop.queries.query import VERSIONS
from cdb_desktop.queries.saved_views import (
    MAX_NAME_LENGTH,
    SUFFIX,
    VIEWS_FILE,
    SavedView,
    ViewFileError,
    ViewFileFieldError,
    ViewFileSyntaxError,
    ViewFileVersionError,
    ViewStore,
    decode_view_file,
    encode_view_file,
    single_line,
    view_file_name,
    with_unique_name,
    with_view,
)
from cdb_desktop.ui.events.browser.model import query_text
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.files import documents_folder
from cdb_desktop.ui.widgets.form import Field, Form
from cdb_desktop.ui.widgets.menus import context_menu, entry_text, open_below
from cdb_desktop.ui.widgets.popup import NamePopup, Popup
from cdb_desktop.vocabulary.profile_key import ProfileKey

_KEY = "events/views"  # the settings key of earlier versions
_TROUBLE = "events.views"  # the cause of notices about files
_RECENT = 15  # earlier queries in the menu
_WIDEST = 90  # characters of a line of a menu


class ViewController(QObject):
    """The saved views of a user, their menu and their alarms.

    Signals: ``alarms_changed`` when views or the rules of their alarms have changed.
    """

    alarms_changed = Signal()

    def __init__(self, view: BrowserView, profile: ProfileKey) -> None:
        """``profile`` is that of the alarms; all profiles have the same views."""
        super().__init__(view)
        self._view = view
        self._profile = profile.key
        settings = view.settings
        file = Path(settings.fileName()).parent / VIEWS_FILE
        self._alarms = alarms_file(file.parent)
        self._store = ViewStore(file, lambda: str(settings.value(_KEY, "")))
        self._folder = documents_folder()
        self._shown: SavedView | None = None
        self._forgotten = view.interrupted.add()

    @property
    def views(self) -> tuple[SavedView, ...]:
        """All saved views by name; empty with a notice if they cannot be read."""
        try:
            return self._store.read()
        except OSError as error:
            title = tr("The saved views cannot be read")
            self._view.notice.show_notice("warning", title, _reason(error))
            return ()

    def open_menu(self) -> None:
        """Opens the menu of the views."""
        menu = context_menu(self._view, "events.views.menu")
        views = self.views
        for view in views:
            menu.addAction(entry_text(view.name)).triggered.connect(partial(self.show, view))
        menu.addSeparator()
        self._add_recent(menu)
        menu.addAction(tr("&Save this view…")).triggered.connect(self._ask_name)
        menu.addAction(tr("&Alert me…")).triggered.connect(self.ask_alarm)
        if views:
            alerting = menu.addMenu(tr("Alarms of &views"))
            rules = {rule.view for rule in self._rules}
            for view in views:
                action = alerting.addAction(entry_text(view.name))
                action.setCheckable(True)
                action.setChecked(view.name in rules)
                action.triggered.connect(partial(self._ask_alarm_of, view))
            forget = menu.addMenu(tr("&Forget"))
            for view in views:
                forget.addAction(entry_text(view.name)).triggered.connect(partial(self.forget, view.name))
        menu.addSeparator()
        menu.addAction(tr("S&hare as a file…")).triggered.connect(self.ask_target)
        menu.addAction(tr("&Open a file…")).triggered.connect(self._ask_file)
        open_below(menu, self._view.views_button)

    def _add_recent(self, menu: QMenu) -> None:
        """Adds earlier queries, also of earlier starts."""
        recent = self._view.history.recent(_RECENT)
        if not recent:
            return
        asked = menu.addMenu(tr("&Recent queries"))
        for query in recent:
            text = entry_text(_short(query_text(query, self._view.seen)))
            asked.addAction(text).triggered.connect(partial(self._view.query_requested.emit, query))

    def show(self, view: SavedView) -> None:
        """Applies the query and the columns of a view."""
        self._shown = view
        self._view.end_trouble(_TROUBLE)
        self._view.columns.apply(view.columns)
        self._view.query_requested.emit(view.query)
        self._view.count.show_message(tr("View: {name}", name=view.name))

    def save(self, name: str) -> None:
        """Saves the current view under a name; a view of that name is replaced."""
        shown = self._present(name)
        if self._change(lambda views: with_view(views, shown)):
            self.alarms_changed.emit()
            self._shown = shown
            self._view.end_trouble(_TROUBLE)
            self._view.count.show_message(tr("View saved: {name}", name=name))

    def forget(self, name: str) -> None:
        """Deletes a saved view, and its alarm; a notice can undo it."""
        view = next((one for one in self.views if one.name == name), None)
        rule = next((one for one in self._rules if one.view == name), None)
        if view is not None and self._change(lambda views: tuple(one for one in views if one.name != name)):
            self._set_rules(without_rule(self._rules, name))
            bar = self._forgotten
            bar.clear_buttons()
            bar.add_button("events.views.undo", tr("Undo"), partial(self._bring_back, view, rule))
            alarm = "" if rule is None else tr("Its alarm, too.")
            bar.show_notice("accent", tr("Forgotten: {name}", name=name), alarm)

    def _bring_back(self, view: SavedView, rule: AlarmRule | None) -> None:
        view = with_unique_name(self.views, view)
        if self._change(lambda views: with_view(views, view)):
            self._forgotten.hide()
            if rule is not None:
                self._set_rules(with_rule(self._rules, replace(rule, view=view.name)))

    def ask_alarm(self) -> None:
        """Asks when the current view is to raise an alarm; saves it if it is not a saved view."""
        name = self._name
        if name:
            self._ask_alarm_of(self._present(name))
            return
        has_date = not self._view.query.span.is_everything
        popup = AlertPopup(self._view.appearance, self._query_text, None, self._view, has_date=has_date)
        popup.accepted.connect(lambda: self._save_with_alarm(popup))
        popup.open_below(self._view.views_button)

    def _ask_alarm_of(self, view: SavedView) -> None:
        rule = next((one for one in self._rules if one.view == view.name), AlarmRule(view.name))
        popup = AlertPopup(
            self._view.appearance,
            view.name,
            rule,
            self._view,
            is_set=rule in self._rules,
            has_date=not view.query.span.is_everything,
        )
        popup.accepted.connect(lambda: self._take_rule(popup))
        popup.open_below(self._view.views_button)

    def _save_with_alarm(self, popup: AlertPopup) -> None:
        # A view of this name may have another query, and an alarm of its own.
        view = with_unique_name(self.views, self._present(popup.rule.view))
        if view.name:
            self.save(view.name)
            self._set_rules(with_rule(self._rules, replace(popup.rule, view=view.name)))
            self._view.count.show_message(tr("Alarm set: {name}", name=view.name))

    def _take_rule(self, popup: AlertPopup) -> None:
        rule = popup.rule
        if popup.is_removed:
            self._set_rules(without_rule(self._rules, rule.view))
            self._view.count.show_message(tr("No alarm any more: {name}", name=rule.view))
        else:
            self._set_rules(with_rule(self._rules, rule))
            self._view.count.show_message(tr("Alarm set: {name}", name=rule.view))

    @property
    def _rules(self) -> tuple[AlarmRule, ...]:
        return (self._alarms.read(self._profile) or ProfileAlarms()).rules

    def _set_rules(self, rules: tuple[AlarmRule, ...]) -> None:
        def changed(before: ProfileAlarms | None) -> ProfileAlarms:
            kept = before or ProfileAlarms()
            # Without rules nothing is evaluated: the next one begins with the events after it was set.
            return replace(kept, rules=rules) if rules else ProfileAlarms()

        if rules != self._rules:
            self._alarms.change(self._profile, changed)
        self.alarms_changed.emit()

    def share(self, target: Path) -> None:
        """Writes the current view as a file."""
        try:
            write_whole(
                target, encode_view_file(self._present(self._name or single_line(target.stem))), private=False
            )
        except OSError as error:
            self._view.warn(
                _TROUBLE, tr("Not written: {file}", file=single_line(target.name)), _reason(error)
            )
        else:
            self._folder = str(target.parent)
            self._view.end_trouble(_TROUBLE)
            self._view.count.show_message(tr("Written: {single_line}", single_line=single_line(target.name)))

    def open_file(self, source: Path) -> None:
        """Applies and saves the view in a file, or shows why it cannot be read."""
        try:
            view = decode_view_file(source.read_bytes())
        except (OSError, ViewFileError) as error:
            self._view.warn(_TROUBLE, tr("Not opened: {file}", file=single_line(source.name)), _reason(error))
            return
        self._folder = str(source.parent)
        view = with_unique_name(self.views, view)
        is_kept = self._change(lambda views: with_view(views, view))
        notice = self._view.notice.title, self._view.notice.text
        self.show(view)
        if not is_kept:
            self._view.notice.show_notice("warning", *notice)

    @property
    def _name(self) -> str:
        """The name of the view whose query is still the current one, else empty."""
        shown, query = self._shown, self._view.query
        return shown.name if shown is not None and shown.query == query else ""

    def _present(self, name: str) -> SavedView:
        return SavedView(name, self._view.query, self._view.columns.states)

    def _change(self, change: Callable[[tuple[SavedView, ...]], tuple[SavedView, ...]]) -> bool:
        """Changes the saved views and keeps the changes of other windows; returns False if it failed."""
        try:
            self._store.change(change)
        except OSError as error:
            title = tr("The views could not be saved")
            self._view.notice.show_notice("danger", title, _reason(error))
            return False
        return True

    def _ask_name(self) -> None:
        names = [view.name for view in self.views]
        title, kept = tr("Save this view"), tr("Filters, order and columns are kept.")
        popup = NamePopup(self._view.appearance, title, names, kept, self._view, self.save)
        popup.line.setObjectName("events.views.name")
        popup.line.setCompleter(QCompleter(names, popup))
        popup.open_below(self._view.views_button)

    def ask_target(self) -> None:
        """Asks for the file in which the current view is shared."""
        dialog = self._dialog(tr("Share this view"), self.share)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX)
        dialog.selectFile(view_file_name(self._name or self._query_text))
        dialog.open()

    @property
    def _query_text(self) -> str:
        """The current query as text."""
        return single_line(query_text(self._view.query, self._view.seen))

    def _ask_file(self) -> None:
        dialog = self._dialog(tr("Open a view"), self.open_file)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def _dialog(self, title: str, take: Callable[[Path], None]) -> QFileDialog:
        dialog = QFileDialog(self._view, title, self._folder)
        dialog.setObjectName("events.views.dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilter(tr("Views of events (*.cdbview)"))
        dialog.fileSelected.connect(lambda path: take(Path(path)))
        return dialog


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _reason(error: OSError | ViewFileError) -> str:
    """Why a file cannot be read, written or opened."""
    if isinstance(error, OSError):
        return f"{error.strerror or error}."
    if isinstance(error, ViewFileSyntaxError):
        return tr("It is not valid JSON: error in line {line}.", line=error.line)
    if isinstance(error, ViewFileVersionError):
        return tr(
            "It was written by another version of the program (format {version}, expected {expected}).",
            version=str(error.version),
            expected=str(VERSIONS[-1]),
        )
    if isinstance(error, ViewFileFieldError):
        return _field_error_text(error)
    return tr("It is not a saved view of events.")


def _field_error_text(error: ViewFileFieldError) -> str:
    if error.is_missing:
        return tr("It lacks “{field}”.", field=error.path)
    if error.is_unknown:
        return tr("It has an unknown field “{field}”.", field=error.path)
    if error.value:
        return tr("“{value}” is not a known value of “{field}”.", value=error.value, field=error.path)
    return tr("The field “{field}” has the wrong type.", field=error.path)


_WIDTH = 300
_MOST = 1_000_000  # events
_MINUTE = 60


class AlertPopup(Popup):
    """Sets the rule of a view; one that is not saved yet gets a name, too."""

    def __init__(
        self,
        appearance: Appearance,
        name: str,
        rule: AlarmRule | None,
        parent: QWidget,
        *,
        is_set: bool = False,
        has_date: bool = False,
    ) -> None:
        """``rule`` is that of the saved view ``name``, or None for a view that is saved with the alarm.

        ``is_set``: the view raises alarms already, and can be silenced. ``has_date``: its query has a date.
        """
        super().__init__(appearance, "events.alert", tr("Alert me"), tr("Set alarm"), parent)
        self._rule = shown = rule or AlarmRule(name)
        self.is_removed = False
        self.line = QLineEdit(name[:MAX_NAME_LENGTH], maxLength=MAX_NAME_LENGTH)
        self.line.setEnabled(rule is None)
        kinds: dict[AlarmKind, str] = {
            "any": tr("Each new event"),
            "more": tr("Many events within a time"),
            "none": tr("No event for a time"),
        }
        self._kinds = QButtonGroup(self)
        self.kinds = {kind: QRadioButton(text) for kind, text in kinds.items()}
        for kind, button in self.kinds.items():
            self._kinds.addButton(button)
            button.setAccessibleName(button.text())
            button.setChecked(kind == shown.kind)
        number = QSpinBox(minimum=1, maximum=_MOST, value=shown.number)
        minutes = QSpinBox(minimum=1, maximum=MOST_SECONDS // _MINUTE, value=-(-shown.seconds // _MINUTE))
        self._form = Form(
            appearance,
            "events.alert",
            Field("name", self.line, tr("View")),
            *(
                Field(kind, button, tr("Alarm") if kind == "any" else "")
                for kind, button in self.kinds.items()
            ),
            Field("number", number, tr("More than"), enabled_if=lambda: self._kind == "more"),
            Field("minutes", minutes, tr("Minutes"), enabled_if=lambda: self._kind != "any"),
            Field("sound", QCheckBox(tr("Sound"))),
            Field("tray", QCheckBox(tr("System notification"))),
            parent=self,
        )
        self._form.show_values({"sound": shown.sound, "tray": shown.tray})
        self._form.setMinimumWidth(_WIDTH)
        self.add(self._form)
        if has_date:
            self.add_note(tr("The date of the view has no effect: an alarm is about new events."))
        self.add_note(tr("Sound and message are used while another window is active."))
        remove = QPushButton(tr("No alarm"), self, autoDefault=False)
        remove.setObjectName("events.alert.remove")
        remove.setVisible(is_set)
        remove.clicked.connect(self._remove)
        self.finish(self.kinds[self._rule.kind] if rule is not None else self.line, remove)
        self.line.selectAll()

    @property
    def rule(self) -> AlarmRule:
        """The chosen rule."""
        values = self._form.values()
        name, seconds = single_line(values["name"]) or self._rule.view, values["minutes"] * _MINUTE
        return AlarmRule(name, self._kind, values["number"], seconds, values["sound"], values["tray"])

    @property
    def _kind(self) -> AlarmKind:
        return next(kind for kind, button in self.kinds.items() if button.isChecked())

    def _remove(self) -> None:
        self.is_removed = True
        self.confirm()
