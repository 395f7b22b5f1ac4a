"""The parts of the page that work on a document, wherever that comes from: a service or a file."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.keeping import Keeping
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.layout_controller import Arranger
from cdb_desktop.ui.schema.edit_commands import Steps
from cdb_desktop.ui.schema.files.diagram_export import DrawingExport
from cdb_desktop.ui.schema.files.drafts import Drafts
from cdb_desktop.ui.schema.page.action_states import Offers
from cdb_desktop.ui.schema.page.findings import Finder
from cdb_desktop.ui.schema.page.notice import Renewal
from cdb_desktop.ui.schema.page.store import Store
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks


class Working(QObject):
    """Makes the parts and ties them to the page and to its actions."""

    def __init__(self, view: SchemaView, actions: Actions, tasks: Tasks, keeping: Keeping) -> None:
        super().__init__(view)
        self.view = view
        self.tasks = tasks
        self.keeping = keeping
        self.store = store = Store(self._refuse, self)
        Finder(store, tasks, view.show_findings)
        self.arranger = Arranger(store, view.diagram, tasks, keeping)
        self.drafts = Drafts(store, view.draft_offer, tasks, keeping.drafts)
        self.steps = Steps(store, view, actions)
        Offers(store, actions, view)
        Renewal(store, view.offer)
        drawing = DrawingExport(store, view, tasks)
        actions["schema_arrange"].triggered.connect(self.arranger.arrange)
        actions["schema_find"].triggered.connect(view.tables.begin_search)
        actions["diagram_export"].triggered.connect(drawing.ask)
        actions["schema_svg"].setChecked(False)
        store.changed.connect(view.show_page)
        store.selected.connect(view.show_selection)
        view.chosen.connect(store.select)
        view.begin_requested.connect(self.steps.add_table)

    def _refuse(self, words: Message) -> None:
        self.view.offer.show_offer("warning", str(words))
