"""Demo data and simulated activity of a museum."""

from server_stub.demo.activity import Activity
from server_stub.demo.fill import add_missing_versions, fill
from server_stub.demo.museum import museum_names
from server_stub.demo.people import DemoServices

__all__ = ["Activity", "DemoServices", "add_missing_versions", "fill", "museum_names"]
