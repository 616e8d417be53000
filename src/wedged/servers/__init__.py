"""Servers: what a server spec names, as a program on this disk.

Nothing here starts a server. Binaries come through npm, are checked against the hash that the registry
names, and are kept in a cache folder; later calls answer from there without npm or a network.
"""

from wedged.servers.cache import cache_folder
from wedged.servers.default_list import default_servers
from wedged.servers.install import install, installed, remove, resolve
from wedged.servers.installed_server import InstalledServer

__all__ = [
    "InstalledServer",
    "cache_folder",
    "default_servers",
    "install",
    "installed",
    "remove",
    "resolve",
]
