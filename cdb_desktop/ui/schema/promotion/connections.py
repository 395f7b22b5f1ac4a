"""Reads the model of another connection: the dialog that chooses one, and its controller."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QRadioButton, QWidget

from cdb_desktop.client import Client, ClientError, LoginRefusedError, NotFoundError
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnection, OtherConnections
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.progress import ProgressBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

_READ = "schema.other_connection"
_WIDTH, _MOST_ROWS, _DOT = 560, 7, 10
_HEAD, _CURRENT = "HEAD", "CURRENT"


@dataclass(frozen=True, slots=True, eq=False)
class OtherModel:
    """A version of the model of another connection, None if it has none, and its localized names."""

    connection: OtherConnection
    version: str
    document: Document | None
    names: Mapping[str, object]

    @property
    def name(self) -> str:
        """The connection and the version."""
        return f"{self.connection.title} {self.version}"


class OtherConnectionDialog(BaseDialog):
    """Chooses a connection and HEAD or CURRENT of it; asks for the password if none is stored.

    Signals: ``requested`` with the OtherConnection, the version and the password, empty for the stored one ·
    ``connect_requested`` when there is no other one and the user wants to connect to it first.
    """

    requested = Signal(object, str, str)
    connect_requested = Signal()

    def __init__(
        self, appearance: Appearance, parent: QWidget, profiles: Sequence[OtherConnection], purpose: str
    ) -> None:
        """``purpose`` is the text below the title."""
        super().__init__(appearance, "schema.other", parent)
        self.setMinimumWidth(_WIDTH)
        self.set_texts(tr("Another connection"), purpose, tr("Read the model"))
        self.profiles = named("schema.other.profiles", QListWidget(self))
        self.profiles.setAccessibleName(tr("Connections"))
        self.profiles.setIconSize(QSize(_DOT, _DOT))
        for profile in profiles:
            self._add(profile)
        rows = min(max(len(profiles), 2), _MOST_ROWS)
        self.profiles.setFixedHeight(rows * (ROW + GAP) + 2 * self.profiles.frameWidth())
        self.head = named("schema.other.head", QRadioButton(tr("HEAD, as it was last saved"), self))
        self.current = named(
            "schema.other.current", QRadioButton(tr("CURRENT, the state of the database"), self)
        )
        self.head.setChecked(True)
        self._password_label = Label(tr("Password"), self)
        self.password = named("schema.other.password", QLineEdit(self))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.setAccessibleName(tr("Password"))
        self._progress = ProgressBar(appearance, self)
        self._status = named("schema.other.status", Label(self))
        self._arrange_content(bool(profiles))
        if all(profile.is_this for profile in profiles):
            connect = named("schema.other.connect", self.add_button(tr("Connect…"), self.hide))
            connect.clicked.connect(self.connect_requested)
        self.profiles.itemSelectionChanged.connect(self._choose)
        self.profiles.itemActivated.connect(lambda _item: self._request())
        self.password.textChanged.connect(self._check)
        self.accept_button.clicked.connect(self._request)
        self.profiles.setCurrentRow(next((at for at, one in enumerate(profiles) if not one.is_this), 0))
        self.show_busy("")
        self.profiles.setFocus()

    @property
    def chosen(self) -> OtherConnection | None:
        """The current connection."""
        items = self.profiles.selectedItems()
        found = items[0].data(Qt.ItemDataRole.UserRole) if items else None
        return found if isinstance(found, OtherConnection) else None

    def ask_password(self, failure: ErrorMessage | None) -> None:
        """Shows the field for the password; ``failure`` is why the former one was not accepted."""
        self.show_busy("")
        for widget in (self._password_label, self.password):
            widget.show()
        if failure is not None:
            self.show_failure(failure)
        self.password.setFocus()
        self.password.selectAll()
        self._check()
        self._grow()

    def show_busy(self, text: str) -> None:
        """Shows what is going on, and disables the choices; nothing with an empty text."""
        for widget in (self.profiles, self.head, self.current, self.password):
            widget.setEnabled(not text)
        self._progress.setVisible(bool(text))
        self._status.setText(text)
        self._status.setVisible(bool(text))
        if text:
            self.show_fault("")
        self._check()

    def _choose(self) -> None:
        self.password.clear()
        for widget in (self._password_label, self.password):
            widget.hide()
        self.show_fault("")
        self._check()

    def _check(self) -> None:
        is_complete = bool(self.password.text()) or self.password.isHidden()
        self.accept_button.setEnabled(self.chosen is not None and self.profiles.isEnabled() and is_complete)

    def _request(self) -> None:
        chosen = self.chosen
        if chosen is not None and self.accept_button.isEnabled():
            version = _HEAD if self.head.isChecked() else _CURRENT
            self.requested.emit(chosen, version, self.password.text())

    def _add(self, profile: OtherConnection) -> None:
        text = f"{profile.title}  ·  {profile.subtitle}"
        if profile.is_this:
            text = f"{text}  ·  {tr('this connection')}"
        item = QListWidgetItem(_disc(profile.color), text, self.profiles)
        item.setData(Qt.ItemDataRole.UserRole, profile)
        item.setSizeHint(QSize(0, ROW + GAP))
        item.setToolTip(profile.subtitle)

    def _arrange_content(self, has_profiles: bool) -> None:
        if not has_profiles:
            text = tr("No connection is remembered yet. Connect to the other service once.")
            self.body.addWidget(Label(text, self))
            for widget in (self.profiles, self.head, self.current):
                widget.hide()
            self._choose()
        self.body.addWidget(self.profiles)
        versions = self.add_line(self.head, self.current)
        versions.setSpacing(2 * GAP)
        versions.addStretch(1)
        self.add_line(self._password_label, self.password, wide=self.password)
        self.add_line(self._progress, self._status, wide=self._status)


class OtherConnectionController(PageController):
    """Opens the dialog and reads the chosen model; closing the dialog cancels that.

    Only versions and localized names are read. Nothing is sent to the other service but the sign-in.

    Signals: ``connect_requested`` as in the dialog, which is closed then.
    """

    connect_requested = Signal()

    def __init__(self, page: SchemaContext, connections: OtherConnections) -> None:
        super().__init__(page)
        self._connections = connections

    def ask(self, parent: QWidget, purpose: str, take: Callable[[OtherModel], None]) -> None:
        """Opens the dialog; ``take`` gets the model that was read."""
        profiles = self._connections.profiles()
        dialog = OtherConnectionDialog(self._view.appearance, parent, profiles, purpose)

        def request(chosen: OtherConnection, version: str, password: str) -> None:
            def failed(error: Exception) -> None:
                self._show_error(dialog, error)

            dialog.show_busy(tr("Reading {version} of {title}…", version=version, title=chosen.title))
            work = self._read(dialog, chosen, version, password, take)
            title = tr("Reading {version} of {title}…", version=version, title=chosen.title)
            self._tasks.start(
                _READ, work, title=title, on_error=failed, on_given_up=lambda: dialog.show_busy("")
            )

        dialog.requested.connect(request)
        dialog.connect_requested.connect(self.connect_requested)
        dialog.rejected.connect(lambda: self._tasks.cancel(_READ))
        dialog.open()

    async def _read(
        self,
        dialog: OtherConnectionDialog,
        chosen: OtherConnection,
        version: str,
        password: str,
        take: Callable[[OtherModel], None],
    ) -> None:
        password = password or await self._connections.password(chosen.key)
        if not password and chosen.asks_password:
            dialog.ask_password(None)
            return
        async with self._connections.open(chosen.key, password) as client:
            document = await _document(client, version)
            names = {} if document is None else await _names(client, version)
        if document is None:
            text = tr("{title} has no {version} yet.", title=chosen.title, version=version)
            dialog.show_busy("")
            dialog.show_fault(text, "warning")
            return
        dialog.accept()
        take(OtherModel(chosen, version, document, names))

    @staticmethod
    def _show_error(dialog: OtherConnectionDialog, error: Exception) -> None:
        message = error_message(error)
        if isinstance(error, DocumentError):
            title = tr("The schema cannot be read")
            message = ErrorMessage(title, f"{error.path}: {error.message}", "")
        if isinstance(error, LoginRefusedError) and getattr(error, "problem", "password") == "password":
            dialog.ask_password(message)
        else:
            dialog.show_busy("")
            dialog.show_failure(message)
            (dialog.profiles if dialog.password.isHidden() else dialog.password).setFocus()


async def _document(client: Client, version: str) -> Document | None:
    try:
        return await run_in_thread(read_document, await client.schema(version))
    except NotFoundError:
        return None


async def _names(client: Client, version: str) -> Mapping[str, object]:
    try:
        return await client.l10n(version)
    except ClientError:
        # The interface does not promise them.
        return {}


def _disc(color: str) -> QIcon:
    """A disc in the color of a connection."""
    picture = QPixmap(2 * _DOT, 2 * _DOT)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawEllipse(picture.rect())
    found = QIcon(picture)
    found.addPixmap(picture, QIcon.Mode.Selected)  # Qt would tint it
    return found
