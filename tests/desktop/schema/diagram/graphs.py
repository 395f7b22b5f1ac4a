"""Graphs for tests of the diagram, with texts in a monospaced font."""

from itertools import pairwise
from random import Random

from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.group_layout import regions_of
from cdb_desktop.schema.diagram.model import Arrangement, Box, Role, RoutedEdge, SchemaGraph
from cdb_desktop.schema.document.model import Document
from tests.desktop.schema.models import Json, column, link, opened, table

LETTER, LINE = 7.0, 14.0
HALF_HEAD = 8.0  # how far from the middle of a head links may end


def measure(text: str, role: Role) -> tuple[float, float]:
    """Every character is seven by fourteen; titles of tables have a larger font."""
    return len(text) * LETTER, LINE + (4 if role is Role.TABLE else 0)


def graph_of(document: Document | None = None, base: Document | None = None) -> SchemaGraph:
    """The graph of a document, by default the museum's; ``base`` has the removed elements."""
    return GraphBuilder(measure).build(document or opened(), base)


def large_model(tables: int) -> Json:
    """A model of groups of ten tables: half of the links stay in the group, half refer to a few lists."""
    random = Random(tables)
    result = []
    for number in range(1, tables + 1):
        name = f"table_{number:04d}"
        columns = [column(number * 10 + n, f"column_{n}") for n in range(8)]
        keys = []
        first = number - number % 10 or 1
        for n, target in enumerate({random.randint(1, min(number, 6)), random.randint(first, number)}):
            columns.append(column(number * 10 + 8 + n, f"link_{n}", "link"))
            keys.append(link(name, number * 10 + 8 + n, f"link_{n}", target, f"table_{target:04d}"))
        result.append(table(number, name, *columns, foreign_keys=keys))
    return {"version": 1, "tables": result}


def overlapping(boxes: tuple[Box, ...]) -> list[tuple[str, str]]:
    """Pairs of boxes that overlap."""
    return [
        (str(one.name or one.table), str(other.name or other.table))
        for number, one in enumerate(boxes)
        for other in boxes[number + 1 :]
        if one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom
    ]


def region_boxes(arrangement: Arrangement, graph: SchemaGraph) -> tuple[Box, ...]:
    """The regions of expanded groups, for `overlapping`."""
    boxes = [box.at(arrangement.positions[box.table]) for box in graph.boxes]
    return tuple(regions_of(boxes, arrangement.groups).values())


def crossed(link: RoutedEdge, boxes: tuple[Box, ...]) -> list[str]:
    """The boxes through which a link passes; touching sides is not crossing."""
    found = []
    for box in boxes:
        for (x, y), (far, low) in pairwise(link.path):
            across = min(x, far) < box.right - 1 and max(x, far) > box.x + 1
            if across and min(y, low) < box.bottom - 1 and max(y, low) > box.y + 1:
                found.append(box.name)
                break
    return found
