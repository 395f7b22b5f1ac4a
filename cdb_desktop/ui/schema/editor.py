"""The controllers that edit a document of a service or of a model file."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.clipboard import ClipboardCommands
from cdb_desktop.ui.schema.commands import (
    CheckCommands,
    DiagramCommands,
    EditCommands,
    JsonCommands,
    SearchController,
)
from cdb_desktop.ui.schema.diagram.group_controller import GroupController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.named_views import NamedViewController
from cdb_desktop.ui.schema.diagram.scope_controller import ScopeController
from cdb_desktop.ui.schema.files.controller import ExchangeController
from cdb_desktop.ui.schema.files.drafts import DraftController
from cdb_desktop.ui.schema.output.controller import DiagramOutputController
from cdb_desktop.ui.schema.page.action_states import SchemaActionStates
from cdb_desktop.ui.schema.page.findings import FindingsController
from cdb_desktop.ui.schema.page.notice import RestoredAsNewNotice
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.promotion.controller import PromotionController
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks


class SchemaEditor(QObject):
    """Creates the store and the controllers, and connects them to the view and the actions."""

    def __init__(
        self,
        view: SchemaView,
        actions: Actions,
        tasks: Tasks,
        local_store: LocalStore,
        connections: OtherConnections | None = None,
        service: str = "",
    ) -> None:
        """``connections`` are those whose models can be read; None if there are none.

        ``service`` is the name of the service, empty for a file.
        """
        super().__init__(view)
        self.view = view
        self.tasks = tasks
        self.local_store = local_store
        self.store = store = PageStore(self._show_refusal, self)
        FindingsController(store, tasks, view.show_findings)
        self.layout = DiagramLayoutController(store, view.diagram, tasks, local_store)
        GroupController(store, view.diagram, self.layout, view.appearance, actions)
        self.layout.arranger.failed.connect(lambda reason: view.notice.show_text("warning", reason))
        self.drafts = DraftController(store, view.draft_notice, tasks, local_store.drafts)
        commands = EditCommands(store, view, actions)
        ClipboardCommands(store, view, actions)
        DiagramCommands(store, view, actions, self.layout)
        CheckCommands(store, view, actions, tasks, local_store)
        JsonCommands(store, view, tasks)
        SchemaActionStates(store, actions, view)
        RestoredAsNewNotice(store, view.notice)
        output = DiagramOutputController(store, view, tasks, service)
        self.promotion = promotion = PromotionController(store, view, tasks, connections)
        if promotion.others is not None:
            promotion.others.connect_requested.connect(actions["connect"].trigger)
        exchange = ExchangeController(store, view, tasks, promotion)
        panel = view.diagram_panel
        views = NamedViewController(store, panel, actions, self.layout, local_store, self._show_warning)
        self.scope = ScopeController(store, panel, actions, self.layout, views)
        SearchController(store, view, actions, tasks, self.scope)
        actions["schema_promote"].triggered.connect(promotion.ask_connection)
        actions["schema_import"].triggered.connect(exchange.ask_import)
        actions["schema_export"].triggered.connect(exchange.ask_export)
        actions["schema_arrange"].triggered.connect(self.layout.arranger.arrange)
        actions["schema_find"].triggered.connect(view.tables.begin_search)
        actions["diagram_export"].triggered.connect(output.ask)
        actions["diagram_print"].triggered.connect(output.ask_print)
        actions["diagram_copy"].triggered.connect(output.copy)
        view.merge_output_requested.connect(output.ask_for_merge)
        actions["schema_svg"].setChecked(False)
        store.changed.connect(view.show_page)
        store.selected.connect(view.show_selection)
        view.chosen.connect(store.select)
        view.begin_requested.connect(commands.add_table)

    def _show_warning(self, text: str) -> None:
        self.view.notice.show_text("warning", text)

    def _show_refusal(self, reason: Message) -> None:
        self.view.notice.show_text("warning", str(reason))
