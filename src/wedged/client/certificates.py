"""By which certificates a server is verified. Apart from the addresses, which need no HTTP library."""

import ssl
from typing import Literal

import httpx


def verified_by(url: str) -> ssl.SSLContext | Literal[False]:
    """What `httpx` is to verify the server at `url` by. False for plain http: there is no certificate, and
    reading the authorities takes 30 ms of a core for each client."""
    return httpx.create_ssl_context(trust_env=False) if url.startswith("https:") else False
