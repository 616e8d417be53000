"""Looking at a database file: the store of a server that may run or not. Nothing of it is ever changed."""

from wedged.observe.database.look import look_at_database

__all__ = ["look_at_database"]
