"""Makes the picture of a merge: everything that the result or a side has, placed and with routed links."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.changes import pair_documents, with_room
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.model import Arrangement, Diagram, SchemaGraph
from cdb_desktop.schema.diagram.placement import place_boxes
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.merge.merge import Merge


@dataclass(frozen=True)
class MergePicture:
    """The diagram of ``document``, the result of a merge with everything that a side has removed."""

    merge: Merge
    document: Document
    removed: frozenset[ElementRef]
    diagram: Diagram


class MergePictures:
    """Makes one picture after the other: boxes keep their places, and links their ways as far as possible."""

    def __init__(self, builder: GraphBuilder, arrangement: Arrangement) -> None:
        """``arrangement`` has the positions of the tables in the diagram of the page."""
        self._builder = builder
        self._arrangement = arrangement
        self._router = Router()
        self._routing = threading.Lock()

    async def make(self, merge: Merge) -> MergePicture:
        """The picture of a merge; all but the texts, which are measured in this thread, is done in others."""
        document, removed = await run_in_thread(_with_removed, merge)
        graph = self._builder.build(document)
        diagram = await run_in_thread(self._diagram, graph)
        return MergePicture(merge, document, removed, diagram)

    def _diagram(self, graph: SchemaGraph) -> Diagram:
        # The thread of a cancelled call runs to its end.
        with self._routing:
            positions = with_room(graph.boxes, place_boxes(graph, self._arrangement.positions))
            self._arrangement = Arrangement(positions)
            return build_diagram(graph, self._arrangement, self._router)


def _with_removed(merge: Merge) -> tuple[Document, frozenset[ElementRef]]:
    """The result with what a side has removed, and what that is."""
    versions, whole = merge.versions, merge.document
    removed: frozenset[ElementRef] = frozenset()
    for side in (versions.theirs, versions.mine, versions.base):
        pair = pair_documents(side, whole)
        whole, removed = pair.document, removed | pair.removed
    return whole, removed
