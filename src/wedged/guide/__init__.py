"""Notebooks to a run folder, a run folder to pages. Nothing here can start a server."""

import sys

# nbformat's schema validator tries to import this for a format, "iri", that no notebook's schema names. It
# builds a whole grammar on import: 1.7 s of a core for each process that opens a notebook.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
