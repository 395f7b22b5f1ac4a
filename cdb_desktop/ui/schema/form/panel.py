"""The right of the page: the form of the selected element, and that of columns."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QPushButton, QSizePolicy, QStackedWidget, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.apply import Restore
from cdb_desktop.schema.document.column_types import NUMBERS, TEXTS, TypeFamily, type_family
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.json_values import Json, shown_value
from cdb_desktop.schema.document.model import BIDIRECTIONAL, UPLINK, Column, Table
from cdb_desktop.schema.document.names import OPTIONS, element_name
from cdb_desktop.schema.edits.columns import (
    AddUniqueKey,
    ChangeType,
    RemoveUniqueKey,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
)
from cdb_desktop.schema.edits.edit import Edit, reference_to
from cdb_desktop.schema.edits.tables import SetTableOptions, paired
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.fields import (
    FilterField,
    SettingsTable,
    TextField,
    section_label,
    show_checked,
)
from cdb_desktop.ui.schema.form.layout import (
    FormHeading,
    FormPage,
    FormRequests,
    LocalNameFields,
    NarrowForm,
    offer_option,
)
from cdb_desktop.ui.schema.form.table_form import TableForm
from cdb_desktop.ui.schema.form.type_choices import targets_of, type_choices, types_for
from cdb_desktop.ui.schema.page.state import UNREAD, PageState
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.form import Choice, Field
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.object_names import named


class FormPanel(QStackedWidget):
    """The forms, one of which is visible, and their signals (``requests``)."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.form")
        self.overview = _Overview(self)
        self.requests = FormRequests(self)
        self.table = TableForm(appearance, actions, self.requests, self)
        self.column = ColumnForm(appearance, self.requests, self)
        self.removed = RemovedForm(self.requests, self)
        for widget in (self.overview, self.table, self.column, self.removed):
            self.addWidget(widget)

    def show_page(self, page: PageState) -> None:
        """Shows the form of the selected column or table, or an overview of the schema."""
        table = page.document.by_key.get(page.selected_table or 0)
        column = _column(page)
        if page.removed_element is not None:
            self.removed.show_page(page)
            self.setCurrentWidget(self.removed)
        elif table is None:
            self.overview.show_page(page)
            self.setCurrentWidget(self.overview)
        elif column is None:
            self.table.show_table(page, table)
            self.setCurrentWidget(self.table)
        else:
            self.column.show_column(page, table, column)
            self.setCurrentWidget(self.column)

    def edit_name(self) -> None:
        """Gives the name field the focus."""
        form = self.currentWidget()
        if isinstance(form, TableForm | ColumnForm):
            form.name.setFocus()
            form.name.selectAll()


class _Overview(FormPage):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._heading = FormHeading(self)
        self._counts = Label(self)
        self._hint = caption(self)
        self._hint.setWordWrap(True)
        self.add(self._heading)
        self.add(self._counts)
        self.add(self._hint, gap=GAP)
        self.add_stretch()

    def show_page(self, page: PageState) -> None:
        document = page.document
        name = page.file or ("HEAD" if page.past is None else f"v{document.version}")
        self.setAccessibleName(tr("Schema"))
        self._heading.show_heading(tr("Schema"), name)
        columns = sum(len(table.columns) for table in document.tables)
        tables = tr("{count:1 table|{count} tables}", count=len(document.tables))
        self._counts.setText(f"{tables}, {tr('{count:1 column|{count} columns}', count=columns)}")
        self._hint.setText(tr("Select a table or column in the tree or the diagram to see its details."))


def _column(page: PageState) -> Column | None:
    ref = page.selection
    table = page.document.by_key.get(page.selected_table or 0)
    return table.by_key.get(ref.column) if table and isinstance(ref, ColumnRef) else None


class RemovedForm(FormPage):
    """Says that a table or column has been removed, and restores it."""

    def __init__(self, requests: FormRequests, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = requests
        self.setObjectName("schema.ghost")
        self._page = UNREAD
        self._heading = FormHeading(self)
        self._text = Label(self)
        self._text.setWordWrap(True)
        self.restore = named("schema.ghost.restore", QPushButton(self))
        self.restore.clicked.connect(self._restore)
        self.add(self._heading)
        self.add(self._text)
        self.add_row(QWidget(self), self.restore, gap=GAP)
        self.add_stretch()

    def show_page(self, page: PageState) -> None:
        """Shows the removed element."""
        self._page = page
        if page.removed_element is None or page.base is None:
            return
        is_column = isinstance(page.removed_element, ColumnRef)
        kind = tr("Removed column") if is_column else tr("Removed table")
        self._heading.show_heading(kind, element_name(page.base, page.removed_element))
        self._text.setText(self._explanation(page))
        self.restore.setText(tr("Restore"))
        self.restore.setEnabled(page.can_restore)
        self.restore.setVisible(page.compared is None)

    def _explanation(self, page: PageState) -> str:
        if page.compared is not None:
            return tr("Only the version that is compared with still has it.")
        if page.file:
            return tr("It is still in the file until you save.")
        if page.can_restore or not page.is_editable:
            return tr("CURRENT still has it with all its values; the next commit deletes them.")
        return tr(
            "HEAD was saved without it, so the service has released its id: restored, it would be "
            "new and empty. CURRENT has its values until the next commit."
        )

    def _restore(self) -> None:
        page = self._page
        if page.removed_element is not None and page.editing.head is not None:
            self._requests.edit_requested.emit(Restore(page.removed_element, page.editing.head))


class ColumnForm(FormPage):
    """Edits one column."""

    def __init__(self, appearance: Appearance, requests: FormRequests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self.setObjectName("schema.column")
        self.setAccessibleName(tr("Column"))
        self._page, self._ref = UNREAD, ColumnRef(0, 0)
        self._table: Table | None = None
        self._type = ""
        self._back = named("schema.column.table", QPushButton(self))
        self._heading = FormHeading(self)
        self.name = TextField()
        self.type = FilterField("schema.column.type")
        self.target = FilterField("schema.column.target")
        self.required = QCheckBox(str(OPTIONS["not_null"]))
        self.unique = QCheckBox(tr("Unique: no two rows have the same"))
        self.reverse = QCheckBox(str(OPTIONS["reverse_edit"]))
        self.bidirectional = QCheckBox(str(OPTIONS["bidirectional"]))
        self._fields = NarrowForm(
            appearance,
            "schema.column",
            self,
            Field("name", self.name, tr("Name")),
            Field("type", self.type, tr("Type")),
            Field("target", self.target, tr("Links to"), visible_if=lambda: self._type == "link"),
            Field("not_null", self.required, None),
            Field("unique", self.unique, None),
            Field("reverse_edit", self.reverse, None, visible_if=lambda: self._type == "link"),
            Field("bidirectional", self.bidirectional, None, visible_if=self._can_be_bidirectional),
        )
        self.local_names = LocalNameFields(appearance, self)
        self._rules = section_label(tr("Checks"), self)
        self.checks = CheckFields(appearance, self)
        self._settings_title = section_label(str(OPTIONS[_SETTINGS]), self)
        self.settings = SettingsTable("schema.column.custom_settings", self)
        self._arrange()
        self._connect()

    def show_column(self, page: PageState, table: Table, column: Column) -> None:
        """Shows a column. Text that is being typed is kept."""
        self._page, self._table, self._ref = page, table, ColumnRef(table.key, column.key)
        self._type = column.type
        self._back.setText(f"‹ {table.name}")
        self._heading.show_heading(tr("Link") if column.is_link else tr("Column"), column.name)
        self.local_names.show_names(page, self._ref)
        self.name.show_text(column.name)
        types = types_for(page.document, page.editing.current, table, column)
        self.type.show_choices(type_choices(types), column.type)
        self._show_link(page, table, column)
        show_checked(self.required, on=column.flag("not_null"))
        show_checked(self.unique, on=any(key.column_keys == (column.key,) for key in table.unique_keys))
        self.checks.show_column(page, column)
        found = column.raw.get(_SETTINGS)
        self.settings.show_settings(found if isinstance(found, Mapping) else {})
        for widget in (self._settings_title, self.settings):
            widget.setVisible(page.describes(_SETTINGS) or bool(found))
        self._enable(editable=page.is_editable)

    def _show_link(self, page: PageState, table: Table, column: Column) -> None:
        keys = table.links.get(column.key, ())
        self.target.show_choices(targets_of(page.document), keys[0].target if keys else None)
        show_checked(self.reverse, on=column.flag("reverse_edit"))
        is_paired = any(column.key in paired(table, pair) for pair in table.bidirectional)
        show_checked(self.bidirectional, on=is_paired)
        self._fields.update_rows()
        self._rules.setVisible(not column.is_link)
        self.checks.setVisible(not column.is_link)

    def _can_be_bidirectional(self) -> bool:
        """Whether the link is in a nested table, whose other end is the owner, or is so nevertheless."""
        is_nested = self._type == "link" and self._table is not None and self._table.is_nested
        return self.bidirectional.isChecked() or is_nested

    def _enable(self, *, editable: bool) -> None:
        self.name.setReadOnly(not editable)
        boxes = (self.required, self.unique, self.reverse, self.bidirectional)
        for widget in (self.type, self.target, *boxes, self.checks, self.settings):
            widget.setEnabled(editable)
        if editable:
            is_set = self.bidirectional.isChecked()
            offer_option(self._page, BIDIRECTIONAL, self.bidirectional, is_set=is_set)

    def _arrange(self) -> None:
        self._back.setFlat(True)
        self._back.setToolTip(tr("Back to the table"))
        self._back.setFixedHeight(ROW)
        # A long name is clipped instead of making the window wider.
        self._back.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._back.setStyleSheet(
            "QPushButton { text-align: left; padding: 0; border: none; color: palette(link); }"
        )
        self.add(self._back)
        self.add(self._heading)
        self.add(self._fields)
        self.add(self.local_names)
        self.add(self._rules, gap=GAP)
        self.add(self.checks)
        self.add(self._settings_title, gap=GAP)
        self.add(self.settings)
        self.add_stretch()

    def _connect(self) -> None:
        self._back.clicked.connect(lambda: self._requests.chosen.emit(TableRef(self._ref.table)))
        self.name.decided.connect(lambda name: self._request(RenameColumn(self._ref, name)))
        self.local_names.edit_requested.connect(self._requests.edit_requested)
        self.type.decided.connect(self._retype)
        self.target.decided.connect(lambda table: self._request(SetLinkTarget(self._ref, table)))
        self.required.toggled.connect(lambda on: self._request(SetColumnOptions(self._ref, {"not_null": on})))
        self.unique.toggled.connect(self._set_unique)
        self.reverse.toggled.connect(lambda on: self._request(SetReverseEdit(self._ref, on)))
        self.bidirectional.toggled.connect(self._set_bidirectional)
        self.settings.decided.connect(
            lambda found: self._request(SetColumnOptions(self._ref, {_SETTINGS: found}))
        )
        self.checks.decided.connect(lambda options: self._request(SetColumnOptions(self._ref, options)))

    def _retype(self, type_: str) -> None:
        if type_ == "link" and self._type != "link":
            self._requests.link_requested.emit(self._ref)
        elif type_ != self._type:
            self._request(ChangeType(self._ref, type_))

    def _set_unique(self, on: bool) -> None:
        ref = UniqueKeyRef(self._ref.table, (self._ref.column,))
        self._request(AddUniqueKey(ref) if on else RemoveUniqueKey(ref))

    def _set_bidirectional(self, on: bool) -> None:
        """A pair of this link and the owner; another pair that has the link goes with it."""
        table = self._table
        if table is None or self._ref.column not in table.by_key:
            return
        pairs = [pair for pair in table.bidirectional if self._ref.column not in paired(table, pair)]
        if on:
            reference = reference_to(table.by_key[self._ref.column]).raw
            pairs.append({"columns": [{UPLINK: True}, reference]})
        self._request(SetTableOptions(table.key, {BIDIRECTIONAL: pairs or None}))

    def _request(self, edit: Edit) -> None:
        self._requests.edit_requested.emit(edit)


_REGEXP = ("check_regexp", "check_regexp_flags")
_NOT_EMPTY = "check_range_not_empty"
_RANGE = (
    "check_range_lower",
    "check_range_upper",
    "check_range_lower_open",
    "check_range_upper_open",
    _NOT_EMPTY,
)
_SETTINGS = "custom_settings"
_LENGTHS = ("length_min", "length_max")
_LINES = ("check_regexp", "check_range_lower", "check_range_upper", *_LENGTHS, "default")


class CheckFields(NarrowForm):
    """The checks of a column's values (wire §5), their lengths and the default.

    Signals: ``decided`` with options by their names, None for those that go.
    """

    decided = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        self._family: TypeFamily | None = None
        self._raw: Json = {}
        self.check = Choice(characters=8)
        self.fields = {name: TextField() for name in _LINES}
        self.ignore_case = QCheckBox(str(OPTIONS["check_regexp_flags"]))
        self.not_empty = QCheckBox(str(OPTIONS[_NOT_EMPTY]))
        rows = [
            Field(name, self.fields[name], str(OPTIONS[name]), visible_if=partial(self._is_shown, name))
            for name in _LINES
        ]
        is_regexp = partial(self._is_check, "regexp")
        rows.insert(1, Field("check_regexp_flags", self.ignore_case, None, visible_if=is_regexp))
        is_not_empty = partial(self._is_shown, _NOT_EMPTY)
        rows.append(Field(_NOT_EMPTY, self.not_empty, None, visible_if=is_not_empty))
        rows.insert(0, Field("check", self.check, str(OPTIONS["check"])))
        super().__init__(appearance, "schema.column", parent, *rows)
        self.check.decided.connect(self._set_check)
        for name, field in self.fields.items():
            field.decided.connect(lambda text, name=name: self.decided.emit({name: self._value(name, text)}))
        self.ignore_case.toggled.connect(
            lambda on: self.decided.emit({"check_regexp_flags": "i" if on else None})
        )
        self.not_empty.toggled.connect(lambda on: self.decided.emit({_NOT_EMPTY: on or None}))

    def show_column(self, page: PageState, column: Column) -> None:
        """Shows the checks of a column."""
        self._raw = raw = column.raw
        self._family = type_family(column.type)
        check = raw.get("check")
        known = self._checks()
        choices = known if check in [data for _, data in known] else [*known, (shown_value(check), check)]
        self.check.show_choices(choices, check)
        for name, field in self.fields.items():
            value = raw.get(name)
            field.show_text("" if value is None else shown_value(value))
        show_checked(self.ignore_case, on="i" in str(raw.get("check_regexp_flags") or ""))
        show_checked(self.not_empty, on=column.flag(_NOT_EMPTY))
        for name, widget in ((_NOT_EMPTY, self.not_empty), ("default", self.fields["default"])):
            offer_option(page, name, widget, is_set=raw.get(name) is not None)
        self.update_rows()

    def _checks(self) -> list[tuple[str, object]]:
        found: list[tuple[str, object]] = [
            (tr("anything"), None),
            (tr("not empty"), "not_empty"),
        ]
        if self._family in TEXTS:
            found += [(tr("an e-mail address"), "email"), (tr("a regular expression"), "regexp")]
        else:
            found += [(tr("a range"), "range")]
        return found

    def _is_check(self, check: str) -> bool:
        return self._raw.get("check") == check

    def _is_shown(self, name: str) -> bool:
        """Whether a field makes sense, or has a value nevertheless."""
        if name == "default":
            fits = self._family in TEXTS | NUMBERS | {TypeFamily.BOOLEAN}
        elif name in _LENGTHS:
            fits = self._family in TEXTS
        elif name == _NOT_EMPTY:
            fits = self._family is TypeFamily.DATE_RANGE and self._is_check("range")
        else:
            fits = self._is_check("regexp" if name == "check_regexp" else "range")
        return fits or self._raw.get(name) is not None

    def _set_check(self, check: object) -> None:
        """Sets the value_family of check and removes the options of other kinds."""
        others = {name: None for name in (*_REGEXP, *_RANGE) if name in self._raw}
        self.decided.emit({**others, "check": check})

    def _value(self, name: str, text: str) -> object:
        """The typed text as a value of the column's type; the text itself (a problem) if it is none."""
        if not text:
            return None
        value_family = TypeFamily.INTEGER if name in _LENGTHS else self._family
        if name == "check_regexp" or value_family in TEXTS:
            return text
        if value_family is TypeFamily.BOOLEAN and text.lower() in ("true", "false"):
            return text.lower() == "true"
        try:
            return _number(text) if value_family in NUMBERS else text
        except ValueError:
            return text


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
