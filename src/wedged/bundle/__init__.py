"""A redacted zip for a bug report: collected, written, and read back as a target of doctor."""
