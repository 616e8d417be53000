"""wedged: a field guide to stuck agent sessions, kept true by running it."""
