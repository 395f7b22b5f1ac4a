"""The calls of the contract (§4), one module per part: HTTP in, HTTP out, knowing no SQL."""

from server_stub.api.call import Answer, Call, Incoming, Rooms, Route
from server_stub.api.table import ROUTES

__all__ = ["ROUTES", "Answer", "Call", "Incoming", "Rooms", "Route"]
