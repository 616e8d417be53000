"""Notebooks to a run folder, a run folder to pages. Nothing here can start a server."""
