"""What people and machines of the demo house do, one action at a time; knows no database."""

from server_stub.demo.actions.choice import Choice
from server_stub.demo.actions.habits import Habit, habits
from server_stub.demo.actions.scene import Scene, World
from server_stub.demo.actions.stock import Stock
from server_stub.demo.actions.visit import actor_of, failed_login, sign_in, sign_out

__all__ = [
    "Choice",
    "Habit",
    "Scene",
    "Stock",
    "World",
    "actor_of",
    "failed_login",
    "habits",
    "sign_in",
    "sign_out",
]
