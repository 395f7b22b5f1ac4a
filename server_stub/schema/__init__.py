"""The user database schema: documents, versions, commits, XML and pictures."""

from server_stub.schema.commit.transaction import CommitResult
from server_stub.schema.document.grammar import to_xml
from server_stub.schema.objects import Objects
from server_stub.schema.render.pictures import MOST_THREADS, to_png, to_svg
from server_stub.schema.service import Schemas
from server_stub.schema.versions import entity_tag

__all__ = ["MOST_THREADS", "CommitResult", "Objects", "Schemas", "entity_tag", "to_png", "to_svg", "to_xml"]
