"""The calls of the contract (§4), one module per part: HTTP in, HTTP out, knowing no SQL."""

from server_stub.api.call import Answer, Call, Incoming, Rooms
from server_stub.api.handling import Handling
from server_stub.api.route import Route
from server_stub.api.table import ROUTES

__all__ = ["ROUTES", "Answer", "Call", "Handling", "Incoming", "Rooms", "Route"]
