"""Facts: frozen dataclasses without I/O. Everything else in the house speaks in these."""
