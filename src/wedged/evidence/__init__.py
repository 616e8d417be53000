"""The evidence: the run folder, how it is written, read and merged, and what it adds up to.

A run folder, schema 1
======================

Everything is UTF-8; times are seconds unless a name ends in ``_ms``. Readers ignore fields and line kinds
they don't know; a folder with a larger ``schema`` is refused.

::

    runs/<id>/
      run.json                              who ran what, where: one JSON object
      results.jsonl                         what came out: one JSON object a line
      witnesses.jsonl                       merged folders only; see below
      evidence/<code>/<server>/<arm>-<n>.jsonl   the timeline of one trial
      routes/<server>.json                  the paths of its API document, each with its methods: read once
                                            a run, and in no merged folder
      figures/  notebooks/                  what was drawn and executed; not described here
      .lock                                 held while something is written; no content

``run.json``: ``schema`` (1), ``id``, ``seed``, ``started`` (UTC, ``2026-11-29T12:35:55Z``), ``tool`` and
``host`` (names to values; never a host name, a user name or a path), ``servers`` (a list of ``line``,
``version``, ``binary_sha256``, ``openapi_sha256``, ``schema_fingerprint``; "" where not known). A merged
folder also has ``origins``, the runs whose lines it holds, and ``left_out``, the cells of its sources that
it does not show and why.

``results.jsonl``: every line has ``kind``, ``run`` and ``started`` (of the run it comes from), ``code``
(the failure class) and ``server`` (``v1@1.17.18``).

``trial``
    One run of one arm: ``arm``, ``n`` (from 1), ``valid``, ``checks`` (a list of ``rule``, ``passed``,
    ``detail``), ``seconds``, ``evidence`` (path of its timeline from the folder, "" for none), ``outcomes``
    (how many ``outcome`` lines follow). It is valid only if it has checks and every one passed.
``outcome``
    One claim in one trial, directly after the trial's line: ``arm``, ``n``, ``claim``, ``outcome``
    (``symptom``, ``healed``, ``unclear``, ``invalid``), ``valid`` (the trial's), ``why``, ``values`` (the
    measured figures).
``not-run``
    ``arm`` ("" for the whole class) was not started, or was broken off: ``why``.
``absent``
    A probe for the feature that ``arm`` ("" for the whole class) needs: ``probe`` with ``route``,
    ``in_openapi``, ``status``, ``web_page`` (since some servers answer 200 and the page of their web app to
    any path that they don't know; false where not given). It shows absence only where the route is not in
    the OpenAPI document and the answer was 404, 405 or that page.
``torn``
    ``bytes`` of an unfinished line stood here, left by a writer that was killed, and were cut.

A trial's line and its outcomes go out in one write. A last line without its end, or a trial with too few
outcomes after it, is what a killed writer leaves: that trial counts as not recorded, and the reader says so.
The timeline is complete before the line that names it is written.

A timeline file has one observation a line, by time: ``t`` (seconds since the prompt), ``lane``, ``kind``,
``subject`` (a session, "" for none), ``data``.

Counting by hand: ``jq -c 'select(.kind=="outcome" and .valid) | [.server, .claim, .outcome]' results.jsonl``.

Merging
=======

A *cell* is everything that one run recorded of one class on one server. Merging never mixes two runs within a
cell: of several runs, the newest that holds a trial or an absence of that class on that server is shown,
whole; a newer run that only says ``not-run`` does not hide it. Shards of one campaign share a run id and
are joined; the same trial in two of them must be the same, byte for byte. A ``does-not-hold`` needs a
known-bad server in the same run. So that a newer result for that server does not take the witness away,
lines of a run that still speaks for another server of the class stay in ``witnesses.jsonl``, without
timelines.
"""

from wedged.evidence.cell import AbsentProbe, Cell, NotRun
from wedged.evidence.host import host_facts
from wedged.evidence.merging import merge
from wedged.evidence.normalise import Normaliser
from wedged.evidence.record import SCHEMA, LeftOut, RunOrigin, RunRecord, new_run
from wedged.evidence.replay import Replayed, replay
from wedged.evidence.run_folder import RunFolder
from wedged.evidence.statistics import ExactTest, Interval, exact_interval, fisher_exact
from wedged.evidence.verdicts import MINIMUM_TRIALS, ClassVerdict, claim_verdict, class_state, verdicts
from wedged.evidence.versions import Change, ChangeKind, changes

__all__ = [
    "MINIMUM_TRIALS",
    "SCHEMA",
    "AbsentProbe",
    "Cell",
    "Change",
    "ChangeKind",
    "ClassVerdict",
    "ExactTest",
    "Interval",
    "LeftOut",
    "Normaliser",
    "NotRun",
    "Replayed",
    "RunFolder",
    "RunOrigin",
    "RunRecord",
    "changes",
    "claim_verdict",
    "class_state",
    "exact_interval",
    "fisher_exact",
    "host_facts",
    "merge",
    "new_run",
    "replay",
    "verdicts",
]
