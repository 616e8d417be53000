"""Looking for a feature that a server may not have: by its API document, and by what the route answers."""

import secrets

import httpx

from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.lab.bench import Bench

_DOCUMENT = {Line.V1: "/doc"}
_V2_DOCUMENT = "/openapi.json"
_PATIENCE_S = 45.0


def look_for(bench: Bench, path: str, *, method: str = "get") -> AbsentProbe:
    """Ask for `path` with GET, and look up its `method` in the server's API document.

    Only GET is ever sent: a route of another method that is there must not act. That the document has it is
    then what tells it from one that is missing.
    Servers that bring the web app answer 200 and its page to any path that they don't know, so that page is
    compared with the one for a path that nobody has.

    Raises:
        LabError: the server has no readable API document, or did not answer.
    """
    server = bench.server
    auth = httpx.BasicAuth("opencode", server.password) if server.password else None
    try:
        with httpx.Client(base_url=server.url, auth=auth, trust_env=False, timeout=_PATIENCE_S) as client:
            document = client.get(_DOCUMENT.get(bench.identity.line, _V2_DOCUMENT)).json()
            answer = client.get(path)
            nowhere = client.get(f"{path}-{secrets.token_hex(4)}")
    except (httpx.HTTPError, ValueError) as error:
        raise LabError(f"looking for GET {path} failed: {type(error).__name__}") from error
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(paths, dict) or not paths:
        raise LabError("the server's API document names no path")
    page = _is_page(answer) and _is_page(nowhere) and answer.content == nowhere.content
    known = method in paths.get(path, {})
    return AbsentProbe(f"{method.upper()} {path}", known, answer.status_code, page)


def _is_page(answer: httpx.Response) -> bool:
    return answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/html")
