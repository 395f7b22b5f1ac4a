"""The parts of the page that work on a document, wherever that comes from: a service or a file."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.arranger import Arranger
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.drafts import Drafts
from cdb_desktop.ui.schema.drawing_export import DrawingExport
from cdb_desktop.ui.schema.finder import Finder
from cdb_desktop.ui.schema.offers import Offers
from cdb_desktop.ui.schema.renewal import Renewal
from cdb_desktop.ui.schema.steps import Steps
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks


class Working(QObject):
    """Makes the parts and ties them to the page and to its actions."""

    def __init__(self, view: SchemaView, actions: Actions, tasks: Tasks, keeping: LocalStore) -> None:
        super().__init__(view)
        self.view = view
        self.tasks = tasks
        self.keeping = keeping
        self.aside = Aside()
        self.store = store = Store(self._refuse, self)
        Finder(store, view, tasks, self.aside)
        self.arranger = Arranger(store, view.diagram, tasks, keeping)
        self.drafts = Drafts(store, view.draft_offer, tasks, keeping.drafts, self.aside)
        self.steps = Steps(store, view, actions)
        Offers(store, actions, view)
        Renewal(store, view)
        drawing = DrawingExport(store, view, tasks, self.aside)
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
