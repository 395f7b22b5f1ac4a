"""The demo house: data and activity that look like a real museum's; uses the rooms, never the API."""

from server_stub.demo.activity import Activity
from server_stub.demo.fill import fill
from server_stub.demo.museum_model import museum_names
from server_stub.demo.services import House

__all__ = ["Activity", "House", "fill", "museum_names"]
