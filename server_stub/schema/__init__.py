"""The schema room: documents, versions, plans, tables, XML and pictures; knows no HTTP and no accounts."""

from server_stub.schema.commit.transaction import Commit
from server_stub.schema.document.xml_format import from_xml, to_xml
from server_stub.schema.render.pictures import to_png, to_svg
from server_stub.schema.service import Schemas

__all__ = ["Commit", "Schemas", "from_xml", "to_png", "to_svg", "to_xml"]
