"""Records of a client, written as a test reads them."""

import itertools
from dataclasses import replace

from wedged.facts.server import Line
from wedged.lab.conformance import RULES, Exchange, Scene, Verdict
from wedged.lab.conformance.exchange import template
from wedged.lab.conformance.judgement import HeldAsk

PARENT, CHILD = "ses_0123456789abParent", "ses_0123456789abChild0"
ASK, CHILD_ASK, SHELL = "per_0123456789abAsk000", "per_0123456789abChild0", "sh_0123456789abShell0"
HERE, OWN = "/srv/elsewhere", "/srv/own"

_NUMBERS = itertools.count(1)

V1 = Scene("W101", Line.V1, PARENT, OWN, OWN, asks=(HeldAsk(ASK, PARENT, OWN),))
V1_ELSEWHERE = replace(V1, code="W001", directory=HERE, asks=(HeldAsk(ASK, PARENT, HERE),), works=True)
GONE = replace(V1, code="W102", asks=(HeldAsk(ASK, PARENT, OWN, alive=False),))
LEFT_OVER = replace(GONE, code="W104")
FAMILY = replace(V1, code="W105", children=(CHILD,), asks=(HeldAsk(CHILD_ASK, CHILD, OWN),))
FAMILY_V2 = replace(FAMILY, line=Line.V2_RELEASED)
BACKGROUND = Scene("W301", Line.V2_RELEASED, PARENT, HERE, OWN, shells=(SHELL,))
TWO_SERVERS = Scene("W002", Line.V1, PARENT, OWN, OWN, works=True)
CRASHED = Scene("W201", Line.V1, PARENT, HERE, OWN)


def sent(
    t: float,
    method: str,
    path: str,
    status: int = 200,
    *ids: str,
    directory: str = "",
    decision: str = "",
    worded: bool = False,
) -> Exchange:
    """A request at `t` whose whole answer, with `ids` in it, came 10 ms later."""
    named = tuple((one, t + 0.01) for one in ids)
    return Exchange(
        next(_NUMBERS),
        t,
        method,
        path,
        template(path),
        directory,
        status,
        t + 0.01,
        t + 0.01,
        named,
        decision,
        worded,
    )


def said(rule_id: str, scene: Scene, *record: Exchange, over: float = 100.0) -> Verdict:
    """What that rule says of the record."""
    rule = next(rule for rule in RULES if rule.id == rule_id)
    verdict, evidence = rule.judge(scene, record, over)
    assert evidence, "a verdict without a word of why"
    return verdict
