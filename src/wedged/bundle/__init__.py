"""A redacted zip for a bug report: collected, written, and read back as a target of doctor."""

from wedged.bundle.reading import read_bundle, read_manifest

__all__ = ["read_bundle", "read_manifest"]
