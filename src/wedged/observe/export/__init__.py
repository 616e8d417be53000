"""Looking at an export: one session as a server wrote it out for somebody to send on."""

from wedged.observe.export.look import look_at_export

__all__ = ["look_at_export"]
