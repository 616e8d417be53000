"""Both V2 servers, held in asks: what doctor, asks and answer make of them, and what a look reads."""

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.cli.file_beside_server import file_and_server_agree

from wedged.cli import main
from wedged.client import connect
from wedged.diagnose import diagnose
from wedged.errors import Refused, ServerSaidNo
from wedged.facts.activity import Waiting
from wedged.facts.ask import AskKind
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import Lane
from wedged.lab.bench import Bench, Prompted, open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.turns import Call, Script, Turn
from wedged.observe import look, look_twice, server_tree
from wedged.recover import run_step
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

pytestmark = pytest.mark.server
Out = pytest.CaptureFixture[str]
_OPTIONS = [{"label": "left", "description": "l"}, {"label": "right", "description": "r"}]
_QUESTION = {"question": "Which one?", "header": "Pick", "options": _OPTIONS}


class Terminal(io.StringIO):
    """A person who types these lines."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module", params=["preview", "released"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    installed: InstalledServer = request.getfixturevalue(f"installed_{request.param}")
    with Keeper.start() as keeper, open_bench(installed, keeper) as bench:
        bench.warm_up(bench.project())
        bench.warm_up(bench.project("other"))
        yield bench


@pytest.fixture(autouse=True)
def _password(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_PASSWORD", bench.server.password)


@pytest.fixture
def held() -> Iterator["Held"]:
    with ExitStack() as stack:
        yield Held(stack)


class Held:
    """Turns that are ended with the test, whatever they wait for then."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def turn(self, bench: Bench, *turns: Turn, project: str = "project") -> Prompted:
        """A session whose model answers with `turns`."""
        script = Script(f"v2-{bench.timeline.count()}", turns)
        prompted = bench.prompt(script, bench.project(project))
        self._stack.callback(bench.connection.actor.abort, prompted.session)
        return prompted

    def write(self, bench: Bench, project: str = "project") -> Prompted:
        """A session whose `write` outside of its project waits for a permission."""
        prompted = self.turn(bench, Turn(calls=(outside(bench),)), project=project)
        bench.timeline.wait_for(
            prompted.session, lambda o: o.lane is Lane.ASK, "the ask", 30, after=prompted.at
        )
        return prompted

    def question(self, bench: Bench) -> Prompted:
        """A session whose question waits for its answer."""
        prompted = self.turn(bench, Turn(calls=(Call("question", {"questions": [_QUESTION]}),)))
        bench.timeline.wait_for(
            prompted.session, lambda o: o.kind == "form.created", "the form", 30, after=prompted.at
        )
        return prompted


def outside(bench: Bench) -> Call:
    path = str(bench.home.outside / f"file-{bench.timeline.count()}")
    return Call("write", {"path": path, "filePath": path, "content": "x"})


def key(bench: Bench) -> str:
    return "decision" if bench.identity.line is Line.V2_RELEASED else "reply"


def test_the_servers_answer_is_among_its_files_candidates(bench: Bench, held: Held, capsys: Out) -> None:
    file_and_server_agree(bench, held.write(bench), capsys)


def test_doctor_finds_a_held_write_in_another_location_and_its_own_line_ends_it(
    bench: Bench, held: Held, capsys: Out
) -> None:
    wedged = held.write(bench, "other")
    assert main(["doctor", bench.server.url, "--grace", "0", "--json"]) == 1
    tree = json.loads(capsys.readouterr().out)
    (finding,) = tree["findings"]
    assert (finding["code"], finding["variant"], finding["confidence"]) == ("W101", "external", "high")
    assert (finding["session"], finding["directory"]) == (wedged.session, wedged.directory)
    assert tree["unknown"] == []
    (one,) = tree["activity"]
    assert (one["waiting"], one["ask"]) == ("person", finding["subject"]["id"])
    do = next(offer["do"] for offer in finding["recovery"] if offer["do"]["body"] == {key(bench): "reject"})
    with connect(bench.server.url, password=bench.server.password) as connection:
        connection.actor.send(Request(**do))
    bench.wait_idle(wedged)
    (part,) = bench.connection.reader.session(wedged.session).parts
    assert (part.status, part.error) == (PartStatus.ERROR, "The user declined this tool call")
    # The cure of the one is the cause of the other: on 2.0.15 a declined turn is marked for resumption.
    latent = bench.identity.line is Line.V2_RELEASED
    assert main(["doctor", bench.server.url, "--grace", "0", "--json"]) == (1 if latent else 0)
    left = json.loads(capsys.readouterr().out)["findings"]
    mine = [(one["code"], one["status"]) for one in left if one["session"] == wedged.session]
    assert mine == ([("W103", "latent")] if latent else [])


def test_every_ask_is_listed_and_each_can_be_answered(
    bench: Bench, held: Held, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, question = held.write(bench, "other"), held.question(bench)
    inner = Script(f"inner-{bench.timeline.count()}", (Turn(calls=(outside(bench),)),))
    bench.model.learn(inner)
    task = {"agent": "general", "description": "writes", "prompt": f"do {inner.mark}"}
    parent = held.turn(bench, Turn(calls=(Call("subagent", task),)))
    reader = bench.connection.reader
    (child,) = wait_for(lambda: reader.children(parent.session), "the sub-agent", 30)
    wait_for(lambda: reader.session_asks(child.id), "the sub-agent's ask", 30)
    assert reader.session_asks(parent.session) == (), "the parent's own list is empty"
    assert main(["asks", bench.server.url, "--json"]) == 1
    asks = {one["session"]: one for one in json.loads(capsys.readouterr().out)["asks"]}
    assert set(asks) == {write.session, question.session, child.id}
    assert (asks[child.id]["parent"], asks[child.id]["standing"]) == (parent.session, "live")
    assert asks[question.session]["about"] == "Which one? (left | right)"
    assert len(asks[write.session]["listed_by"]) == 2

    form = asks[question.session]["id"]
    assert main(["answer", form, bench.server.url, "--reject", "--yes"]) == 0
    assert "The user dismissed this question" in capsys.readouterr().out
    child_ask = asks[child.id]["id"]
    assert main(["answer", child_ask, bench.server.url, "--reject", "--yes", "--message", "Stay here."]) == 0
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["answer", asks[write.session]["id"], bench.server.url, "--once"]) == 0
    assert "its call (write) is completed" in capsys.readouterr().out
    bench.wait_idle(write)
    bench.wait_idle(parent)
    assert main(["asks", bench.server.url]) == 0
    assert main(["answer", form, bench.server.url, "--reject", "--yes"]) == 1
    assert f"{form} is gone" in capsys.readouterr().err


def test_a_question_is_answered_by_its_labels(bench: Bench, held: Held) -> None:
    question = held.question(bench)
    (ask,) = [a for a in bench.connection.reader.asks() if a.session_id == question.session]
    assert (ask.kind, ask.action) == (AskKind.FORM, "question")
    bench.connection.actor.answer(ask.id, [["right"]], session_id=question.session)
    bench.wait_idle(question)
    (part,) = bench.connection.reader.session(question.session).parts
    assert '"Which one?"="right"' in part.output


def test_a_background_shell_is_listed_by_its_location_and_ended_there(bench: Bench, held: Held) -> None:
    call = {"command": "sleep 600", "description": "Sleeps", "background": True}
    prompted = held.turn(bench, Turn(calls=(Call("shell", call),)), project="other")
    bench.wait_idle(prompted)
    reader, actor = bench.connection.reader, bench.connection.actor
    assert reader.shells() == (), "the bare list is the server's own location's"
    seen = look(reader)
    (shell,) = seen.shells
    assert (shell.session_id, shell.directory) == (prompted.session, prompted.directory)
    assert (shell.status, shell.command) == ("running", "sleep 600")
    owner = seen.session(prompted.session)
    assert owner is not None
    assert owner.status is Status.IDLE
    assert not owner.unfinished
    step = Step("end", Action.END_SHELL, "", (), "", "")
    elsewhere = Target(prompted.session, "", shell_id=shell.id)
    with pytest.raises(Refused, match="is not running in the directory of the server itself"):
        run_step(step, elsewhere, reader, actor)
    here = Target(prompted.session, prompted.directory, shell_id=shell.id)
    at = bench.timeline.now()
    run_step(step, here, reader, actor)
    wait_for(lambda: not reader.shells(prompted.directory), "the shell to be gone", 20)
    bench.timeline.wait_for(
        prompted.session, lambda o: o.lane is Lane.STATUS and o.kind == "idle", "the woken turn", 30, after=at
    )
    with pytest.raises(Refused, match=f"{shell.id} is not running"):
        run_step(step, here, reader, actor)


def test_what_each_session_waits_for(bench: Bench, held: Held) -> None:
    slow = held.turn(bench, Turn(text="late", first_byte_s=120))
    shell = held.turn(bench, Turn(calls=(Call("shell", {"command": "sleep 601", "description": "Sleeps"}),)))
    writing = held.turn(bench, Turn(calls=(outside(bench),), rate=0.5))
    refused = held.turn(bench, *[Turn(status=503)] * 9)
    reader = bench.connection.reader
    wait_for(lambda: reader.shells(), "the shell", 30)
    wait_for(lambda: reader.session(writing.session).unfinished, "the call that is written", 30)
    wait_for(lambda: reader.session(slow.session).newest, "the prompt to be stored", 30)
    wait_for(lambda: reader.session(refused.session).retry, "the refused request to wait", 30)
    with_tree = look_twice(reader, sample_s=0, tree=lambda: server_tree(bench.server.url))
    seen = {one.session: one for one in diagnose(with_tree, 0).activity}
    assert seen[shell.session].waiting is Waiting.TOOL
    assert "runs its command" in seen[shell.session].why
    assert seen[writing.session].why == "the model is writing a call to write"
    assert seen[slow.session].waiting is Waiting.UNSEEN
    assert "a model that is slow to begin looks like this" in seen[slow.session].why
    assert seen[refused.session].waiting is Waiting.RETRY
    assert "scripted 503" in seen[refused.session].why
    from_afar = diagnose(look_twice(reader, sample_s=0), 0)
    without = {one.session: one for one in from_afar.activity}
    assert without[shell.session].waiting is Waiting.TOOL
    assert "the server lists its shell sh_" in without[shell.session].why
    working = {slow.session, shell.session, writing.session, refused.session}
    assert [found for found in from_afar.findings if found.session in working] == []


def test_a_look_loads_no_location_that_is_not(bench: Bench) -> None:
    reader = bench.connection.reader
    directory = bench.project("unloaded")
    idle = bench.connection.actor.create_session(directory=directory)
    loaded = reader.loaded()
    assert loaded is not None
    assert directory not in loaded
    seen = look(reader)
    assert reader.loaded() == loaded
    assert seen.session(idle) is not None, "its sessions are listed all the same"
    assert directory not in {scope.directory for scope in seen.scopes}


def test_the_wrong_key_is_refused_by_the_server(bench: Bench, held: Held) -> None:
    wedged = held.write(bench)
    (ask,) = [a for a in bench.connection.reader.asks() if a.session_id == wedged.session]
    right = bench.connection.actor.request(Action.REPLY_REJECT, Target(wedged.session, "", ask.id))
    other = "reply" if key(bench) == "decision" else "decision"
    with pytest.raises(ServerSaidNo, match=f'Missing key.*"{key(bench)}"'):
        bench.connection.actor.send(Request("POST", right.path, {other: "reject"}))
    bench.connection.actor.send(right)
    bench.wait_idle(wedged)
    with pytest.raises(ServerSaidNo, match="PermissionNotFoundError"):
        bench.connection.actor.send(right)
