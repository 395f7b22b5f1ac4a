"""Engine, tables, fast reads and writes, and everything that differs between databases."""

from server_stub.database.engine import (
    Database,
    DatabaseUnusableError,
    WrongDatabaseError,
    check_address,
    is_sqlite,
    open_database,
)
from server_stub.database.new_file import new_file
from server_stub.database.reader import Reader

__all__ = [
    "Database",
    "DatabaseUnusableError",
    "Reader",
    "WrongDatabaseError",
    "check_address",
    "is_sqlite",
    "new_file",
    "open_database",
]
