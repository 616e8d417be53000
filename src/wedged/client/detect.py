"""Which dialect a server speaks, by what it says of itself."""

from dataclasses import dataclass

import msgspec

from wedged.client.transport import Answer, Transport, shown
from wedged.errors import BadAnswer, NotOpenCode, ServerSaidNo
from wedged.facts.server import Line


@dataclass(frozen=True, slots=True)
class Detected:
    """The dialect, and the version that the server gave with it ("" when it gave none)."""

    line: Line
    version: str


class _Health(msgspec.Struct):
    healthy: bool = True
    version: str = ""
    pid: int | None = None


class _NotYet(msgspec.Struct):
    code: str = ""


def detect(transport: Transport) -> Detected:
    """Find out with at most three GETs.

    V1's own route comes first: it exists in no V2 (the preview answers 404, the released one a web page),
    while a V1 of the 1.2 line passes a path that it does not know on to a host on the internet. A version
    that is not 1.x is asked further, in case a later V2 should answer there too.

    Raises:
        ServerSaidNo: a V2 service that starts or stops; it answers 503 to everything then.
        NotOpenCode: it answers, and none of the three routes does so as OpenCode would.
        Everything that `Transport.ask` raises, except a `BadAnswer`.
    """
    answer = _probe(transport, "/global/health")
    _refuse_not_yet(answer, transport.url)
    v1 = _health(answer)
    if v1 is not None and v1.version.startswith("1."):
        return Detected(Line.V1, v1.version)
    info = _health(_probe(transport, "/api/info"), 200, 503)
    if info is not None and (info.version or info.pid is not None):
        return Detected(Line.V2_RELEASED, info.version)
    health = _health(_probe(transport, "/api/health"), 200, 500, 503)
    if health is not None and health.pid is not None:
        return Detected(Line.V2_PREVIEW, health.version)
    if v1 is not None and v1.version:
        return Detected(Line.V1, v1.version)
    said = (
        f"{answer.status} {shown(answer.content_type)}".strip() if answer else "an answer that can't be read"
    )
    raise NotOpenCode(
        f"{transport.url} answers, and not as an OpenCode server does (GET /global/health: {said})"
    )


def _refuse_not_yet(answer: Answer | None, url: str) -> None:
    if answer is None or answer.status != 503 or not answer.is_json:
        return
    try:
        code = answer.read(_NotYet).code
    except BadAnswer:
        return
    if code.startswith("service_"):
        words = f"{url} is an OpenCode service that is not ready ({shown(code)}); try again"
        raise ServerSaidNo(words, status=503, tag=shown(code))


def _probe(transport: Transport, path: str) -> Answer | None:
    try:
        return transport.ask("GET", path)
    except BadAnswer:
        return None


def _health(answer: Answer | None, *statuses: int) -> _Health | None:
    if answer is None or not answer.is_json or answer.status not in (statuses or (200,)):
        return None
    try:
        return answer.read(_Health)
    except BadAnswer:
        return None
