"""What the diagram shows, in tests of the page."""

from cdb_desktop.schema.diagram.model import Point
from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.bars import ScopeBar
from cdb_desktop.ui.schema.view import SchemaView
from tests.desktop.schema.models import PERSON, PICTURE, PLACE, WORK
from tests.desktop.ui.finding import child_of

EVERY = {PERSON, PLACE, WORK, PICTURE}


def selection(controller: SchemaController) -> ElementRef:
    """What the page has selected."""
    return controller.store.page.selection


def shown_tables(view: SchemaView) -> set[int]:
    """The keys of the tables that have boxes of their own."""
    return set(view.diagram.diagram_scene.tables)


def table_places(view: SchemaView) -> dict[int, Point]:
    """The top left corners of the boxes."""
    return {key: (item.box.x, item.box.y) for key, item in view.diagram.diagram_scene.tables.items()}


def scope_bar(view: SchemaView) -> ScopeBar:
    """The bar above the diagram that names what it is limited to."""
    return child_of(view, ScopeBar)
