"""Engine, tables and all that differs between databases; knows no rule of the contract."""

from server_stub.database.engine import Database, DatabaseUnusableError, open_database

__all__ = ["Database", "DatabaseUnusableError", "open_database"]
