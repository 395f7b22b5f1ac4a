"""Demo data and simulated activity of a museum."""

from server_stub.demo.activity import Activity
from server_stub.demo.fill import fill
from server_stub.demo.museum_model import museum_names
from server_stub.demo.services import DemoServices

__all__ = ["Activity", "DemoServices", "fill", "museum_names"]
