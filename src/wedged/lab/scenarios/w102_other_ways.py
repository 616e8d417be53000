"""W102's arms beside the disposal of one ask: what else takes an ask away, and what does not."""

from pathlib import Path

from wedged.facts.server import Line
from wedged.lab import gated
from wedged.lab.bench import Bench, Prompted
from wedged.lab.command_line import start_command
from wedged.lab.scenarios import w102_judgement as judge
from wedged.lab.scenarios.w102_acts import answers, delete, dispose, disposed, model_refuses
from wedged.lab.scenarios.w102_stage import Run, Stage, begin, is_terminal, writes
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Script, Turn
from wedged.waiting import wait_for, wait_until

_TOGETHER = 4
# What a model's provider answers to a bad request, to an invalid key, and to one request too many.
_REFUSALS = (400, 401, 429)
_EVERY_S = 0.1
# Each start of a command keeps a core busy for seconds.
_COLD_S = 90.0


def _interrupt(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    at = stage.stop()
    stage.settle(at, timing.settle_s, timing)
    seen = stage.look()
    # V1 leaves the ask listed, and takes this reply.
    return stage.draft(seen, judge.interrupted(seen, ask, at, stage.reply(ask)))


def _delete(bench: Bench, name: str, timing: Timing) -> Draft:
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    before = stage.look()
    at = delete(stage)
    bench.timeline.watch(stage.session, lambda o: o.kind == "session.deleted", timing.watch_s, after=at)
    seen = stage.look()
    reply = stage.reply(ask, "once")
    ran = bool(wait_until(stage.made.exists, timing.watch_s, every=_EVERY_S))
    return stage.draft(before, judge.deleted(seen, ask, at, reply, ran))


def _provider_error(bench: Bench, name: str, timing: Timing) -> Draft:
    """A neighbour's model request is refused; then the ask is answered."""
    stage = begin(bench, bench.project(), name)
    ask = stage.waiting(timing)
    status = _REFUSALS[int(name.rpartition("-")[2]) % len(_REFUSALS)]
    refusing = Turn(status=status, retry_after=30)
    script = Script(f"{name}-neighbour", (refusing,) * 3)
    neighbour = bench.prompt(script, stage.directory)
    failed = bench.timeline.watch(neighbour.session, model_refuses, timing.settle_s, after=neighbour.at)
    bench.timeline.watch(stage.session, is_terminal, timing.watch_s, after=neighbour.at)
    left, at = stage.look(), bench.timeline.now()
    found = judge.facts(left, ask, neighbour.at, stage.reply(ask, "once"))
    over = bench.timeline.watch(stage.session, is_over, timing.settle_s, after=at)
    seen = stage.look()
    bench.connection.actor.abort(neighbour.session, neighbour.directory)
    outcomes = judge.provider_error(status, failed is not None, seen, over is not None, found)
    return stage.draft(seen, outcomes, also=(neighbour.session,))


def _together(bench: Bench, name: str, timing: Timing) -> Draft:
    """Several asks of one directory."""
    directory = bench.project(name)
    stages = [begin(bench, directory, name if not k else f"{name}-{k}") for k in range(_TOGETHER)]
    for stage in stages:
        stage.waiting(timing)
    at = bench.timeline.now()
    dispose(stages[0])
    went = disposed(stages[0], at, timing)
    for stage in stages:
        bench.timeline.watch(stage.session, is_terminal, timing.watch_s, after=at)
    parts = [stage.stored(0) for stage in stages]
    # A directory that is to answer 503 may answer once before it does.
    wait_until(lambda: answers(stages[0]) != 200, timing.watch_s, every=_EVERY_S)
    status = answers(stages[0])
    ended = sum(part is not None and part.status.terminal for part in parts)
    outcomes = judge.together([part.error if part else "" for part in parts], ended, status)
    if status == 200:
        for stage in stages:
            stage.stop()
    first, also = stages[0].prompted, tuple(stage.session for stage in stages[1:])
    return Draft(first, (went,), outcomes, bench.timeline.now(), also)


def _run(bench: Bench, name: str, timing: Timing) -> Draft:
    """`opencode run`, attached to the server, while a shell of its turn runs."""
    v1 = bench.identity.line is Line.V1
    directory, server = bench.project(name), bench.server
    go = Path(directory, f"{name}.go")
    call = gated.shell_call(bench.identity.line, f"until [ -e {go.name} ]; do sleep 0.2; done; echo {name}")
    script = bench.model.learn(Script(name, (Turn(calls=(call,)),)))
    where = ("--attach", server.url, "--dir", directory) if v1 else ("--server", server.url)
    secret = dict.fromkeys(("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"), server.password)
    since = bench.timeline.now()
    with start_command(
        bench, ("run", f"Do it. {script.mark}", *where), directory=directory, env=secret
    ) as run:
        session = wait_for(lambda: made_by(bench, directory), "the command's session", _COLD_S)
        bench.model.attribute(script, session)
        stage = Stage(bench, Prompted(session, directory, script, since), (call,), writes(bench, name)[1])
        bench.timeline.wait_for(session, lambda o: o.kind == "running", "its shell to run", _COLD_S)
        at = bench.timeline.now()
        dispose(stage)
        went = disposed(stage, at, timing)
        over = run.wait(timing.watch_s)
        # One that goes on can now come to its own end.
        go.touch()
        over = over or run.wait(timing.settle_s)
        printed = run.printed
        bench.timeline.watch(session, is_over, timing.settle_s, after=at)
    seen = stage.look()
    later = len(seen.requests(at))
    outcomes = judge.run(over.returncode if over else None, printed, later, seen)
    return stage.draft(seen, outcomes, went)


def made_by(bench: Bench, directory: str) -> str:
    """The newest session of the directory, which a command made there; "" for none yet."""
    sessions = bench.connection.reader.sessions(directory)
    return sessions[0].id if sessions else ""


OTHER_WAYS: dict[str, Run] = {
    "interrupt": _interrupt,
    "delete": _delete,
    "provider-error": _provider_error,
    "together": _together,
    "run": _run,
}
