"""The schema room: documents, versions, plans, tables, XML and pictures; knows no HTTP and no accounts."""

from server_stub.schema.commit import Commit
from server_stub.schema.markup import from_xml, to_xml
from server_stub.schema.render import to_png, to_svg
from server_stub.schema.room import Schemas

__all__ = ["Commit", "Schemas", "from_xml", "to_png", "to_svg", "to_xml"]
