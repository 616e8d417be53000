"""V2's dialects: the preview and the released 2.x. What differs between them is in `dialect`."""
