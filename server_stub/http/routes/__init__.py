"""All calls of the interface in both of its generations, one package each."""

from server_stub.http.routes.generation5 import GENERATION_5
from server_stub.http.routes.generation6 import GENERATION_6

DIALECTS = {each.generation: each for each in (GENERATION_5, GENERATION_6)}

__all__ = ["DIALECTS", "GENERATION_5", "GENERATION_6"]
