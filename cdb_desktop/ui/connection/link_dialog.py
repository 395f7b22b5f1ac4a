"""The question what to do with a link to another connection than the one that is open."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named


class OpenLinkDialog(BaseDialog):
    """Offers to switch to the connection of a link, or to create one if there is none, and to stay.

    Signals: ``switch_requested`` (ConnectionProfile) · ``new_requested`` for a new connection ·
    ``here_requested`` to open the link in the present connection.
    """

    switch_requested = Signal(object)
    new_requested = Signal()
    here_requested = Signal()

    def __init__(
        self,
        appearance: Appearance,
        origin: LinkOrigin,
        profile: ConnectionProfile | None,
        present: str,
        parent: QWidget,
    ) -> None:
        """``profile`` is the connection of the link if the user has it.

        ``present`` is the name of the open connection, empty if a model file is open instead.
        """
        super().__init__(appearance, "connection.link", parent)
        self._profile = profile
        name = tr("“{text}”", text=origin.name) + (f" ({origin.server})" if origin.server else "")
        texts = [tr("The link is for {name}.", name=name)]
        if profile is None:
            texts.append(tr("You have no such connection. Create one only if you know this service."))
        else:
            texts.append(
                tr("“{present}” is open. Unsaved changes of its schema are kept as a draft.", present=present)
                if present
                else tr("It takes the place of the open model file.")
            )
        accept = tr("New connection…") if profile is None else tr("Switch to “{name}”", name=profile.title)
        self.set_texts(tr("This link is for another connection"), " ".join(texts), accept)
        self.accept_button.clicked.connect(self._accept)
        if present:
            here = tr("Open it in “{present}”", present=present)
            named("connection.link.here", self.add_button(here, self.here_requested.emit))

    def _accept(self) -> None:
        self.close()
        if self._profile is not None:
            self.switch_requested.emit(self._profile)
        else:
            self.new_requested.emit()
