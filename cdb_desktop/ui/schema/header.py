"""The toolbar of the page: the version that is shown, its difference to CURRENT, and the main actions."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QFont, QPalette
from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.schema.form.fields import ChoiceField
from cdb_desktop.ui.schema.page.findings import Findings
from cdb_desktop.ui.schema.page.state import UNREAD, PageState
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.buttons import ActionButton, FilledButton
from cdb_desktop.ui.widgets.labels import DotTone, ElidedLabel, StatusDot
from cdb_desktop.ui.widgets.toolbar import Toolbar

HEAD = "HEAD"

_FEWEST, _MOST = 13, 32  # characters of a version or file name


class SchemaHeader(Toolbar):
    """The toolbar.

    Signals: ``version_chosen`` with HEAD or the number of a committed version.
    """

    version_chosen = Signal(object)

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.version = ChoiceField("schema.version", self)
        self._dot = StatusDot(appearance, self)
        self._badge = ElidedLabel(self)
        self._note = ElidedLabel(self)
        self._note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._save = FilledButton(appearance, self)
        self._commit = QPushButton(self)
        self._page = UNREAD
        self._findings = Findings()
        self._arrange(actions)
        self.version.decided.connect(self.version_chosen)

    @property
    def badge(self) -> str:
        """The text about the difference to CURRENT."""
        return self._badge.text()

    @property
    def note(self) -> str:
        """The text about the state of the version."""
        return self._note.text()

    def show_page(self, page: PageState) -> None:
        """Shows the version."""
        self._page = page
        self._update_version_field()
        chosen: object = page.shown_version or HEAD
        self.version.show_choices(self._versions(page), chosen)
        self.version.setMinimumContentsLength(min(max(len(page.file), _FEWEST), _MOST))
        self._note.setText(self._note_text(page))
        self._show_badge()

    def show_findings(self, findings: Findings) -> None:
        """Shows the number of changes."""
        self._findings = findings
        self._show_badge()

    def _update_version_field(self) -> None:
        """Enables the list of versions once one has been read."""
        is_read = self._page.is_read
        self.version.setEnabled(is_read)
        self.version.setPlaceholderText(tr("No version read"))
        self.version.setToolTip(
            tr("The version that is shown")
            if is_read
            else tr("No version has been read; the message below explains why")
        )

    def _versions(self, page: PageState) -> list[tuple[str, object]]:
        if page.file:
            return [(page.file, HEAD)]
        current = page.current_version
        head = page.editing.head
        number = head.version if head is not None else 1
        found: list[tuple[str, object]] = [(f"HEAD v{number}", HEAD)]
        if current is not None:
            found.append((f"CURRENT v{current}", current))
            found.extend((f"v{older}", older) for older in range(current - 1, 0, -1))
        return found

    def _note_text(self, page: PageState) -> str:
        if page.compared is not None:
            return tr("compared, read-only")
        if page.past is not None:
            return tr("committed, read-only")
        if not page.may_develop:
            return tr("read-only: the right system.datamodel.development is missing")
        if not page.editing.is_saved:
            return tr("not saved")
        may = page.may_commit or page.file
        return "" if may else tr("Committing requires the right system.datamodel.commit")

    def _show_badge(self) -> None:
        tone, text = self._difference(self._page)
        self._dot.show_tone(tone)
        self._dot.setVisible(bool(text))
        self._badge.setText(text)

    def _difference(self, page: PageState) -> tuple[DotTone, str]:
        if not page.has_changes:
            return "muted", ""
        count = len(self._findings.changes)
        changes = tr("{count:1 change|{count} changes}", count=count)
        if page.file or page.compared is not None:
            return ("warning", changes) if count else ("good", tr("no changes"))
        if page.current_version is None:
            return "accent", tr("nothing committed yet")
        against = tr("vs CURRENT v{version}", version=str(page.current_version))
        if count == 0:
            return "good", f"{against} · {tr('no changes')}"
        return "warning", f"{against} · {changes}"

    def _arrange(self, actions: Actions) -> None:
        self.setObjectName("schema.header")
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        self.version.setFont(font)
        self.version.setMinimumContentsLength(_FEWEST)
        self._badge.setObjectName("schema.badge")
        self._note.setObjectName("schema.note")
        self._save.setObjectName("schema.save")
        self._commit.setObjectName("schema.commit")
        self._commit.setFixedHeight(self._save.sizeHint().height())
        ActionBinding(self._save, actions["schema_save"])
        ActionBinding(self._commit, actions["schema_commit"])
        self.add(self.version)
        self.add(self._dot, self._badge, gap=GAP)
        self.add(self._note, gap=GAP)
        self.push()
        self.add(*(ActionButton(actions[name], self) for name in ("table_new", "nested_new")))
        self.add(*(ActionButton(actions[name], self) for name in ("schema_undo", "schema_redo")), gap=GAP)
        self.add(ActionButton(actions["refresh"], self), gap=GAP)
        self.add(self._commit, self._save, gap=GROUP)
        self._update_version_field()
        self.version.setAccessibleName(tr("Version"))


class ActionBinding(QObject):
    """Makes a button trigger an action and show its text and state. Deleted with the button."""

    def __init__(self, button: QPushButton, action: QAction) -> None:
        super().__init__(button)
        self._button = button
        self._action = action
        button.clicked.connect(action.trigger)
        action.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        name = plain(self._action.text())
        self._button.setText(name)
        self._button.setToolTip(self._action.toolTip())
        self._button.setAccessibleName(name)
        self._button.setEnabled(self._action.isEnabled())
