"""Doctor, the client and the cures on a real server with a really wedged session."""

import io
import json
from collections.abc import Iterator

import pytest
from tests.cli.file_beside_server import file_and_server_agree, store

from wedged.catalog import by_code
from wedged.cli import main
from wedged.client import connect
from wedged.errors import Refused, ServerSaidNo, WrongPassword
from wedged.facts.ask import AskKind
from wedged.facts.recovery import Request, Step, Target
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, Status
from wedged.lab.bench import Bench, Prompted, open_bench, shell
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios.w101_ungated_external_ask import hold
from wedged.lab.turns import Call, Script, Turn
from wedged.recover import run_step
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

pytestmark = pytest.mark.server
Out = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    """A person who types these lines."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def bench(installed_v1: InstalledServer) -> Iterator[Bench]:
    with Keeper.start() as keeper, open_bench(installed_v1, keeper) as bench:
        bench.warm_up(bench.project())
        yield bench


@pytest.fixture(autouse=True)
def _password(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", bench.server.password)


@pytest.fixture
def held(bench: Bench) -> Iterator[Prompted]:
    held = hold(bench, name=f"held-{bench.timeline.count()}")
    yield held
    if held.session in bench.connection.reader.statuses():
        bench.connection.actor.abort(held.session)


def findings(out: str) -> list[str]:
    return [finding["session"] for finding in json.loads(out)["findings"]]


def test_doctor_finds_the_session_and_its_own_line_ends_it(bench: Bench, held: Prompted, capsys: Out) -> None:
    assert main(["doctor", bench.server.url, "--grace", "0", "--json"]) == 1
    tree = json.loads(capsys.readouterr().out)
    (finding,) = [one for one in tree["findings"] if one["session"] == held.session]
    assert (finding["code"], finding["variant"], finding["confidence"]) == ("W101", "external", "high")
    assert 0 <= finding["age_s"] < 120
    assert tree["unknown"] == []
    do = finding["recovery"][0]["do"]
    with connect(bench.server.url, password=bench.server.password) as connection:
        assert connection.actor.send(Request(**do)) is True
    bench.wait_idle(held)
    main(["doctor", bench.server.url, "--grace", "0", "--json"])
    assert held.session not in findings(capsys.readouterr().out)


def test_within_the_grace_nothing_is_found(bench: Bench, held: Prompted, capsys: Out) -> None:
    assert main(["doctor", bench.server.url, "--grace", "1000000", "--session", held.session]) == 0
    assert "Nothing found." in capsys.readouterr().out


def test_the_reading_half(bench: Bench, held: Prompted) -> None:
    reader = bench.connection.reader
    assert reader.identity().line is Line.V1
    assert reader.identity().version == bench.installed.version
    assert len(reader.openapi_sha256()) == 64
    assert reader.directory() == held.directory
    assert reader.statuses()[held.session] is Status.BUSY
    assert held.session in [session.id for session in reader.sessions(limit=1)]
    session = reader.session(held.session)
    gated, sibling = session.parts
    assert (session.status, gated.status, gated.started) == (Status.BUSY, PartStatus.RUNNING, False)
    assert sibling.status is PartStatus.COMPLETED
    assert reader.has_unfinished(held.session)
    (ask,) = [one for one in reader.asks() if one.session_id == held.session]
    assert (ask.kind, ask.action, ask.call_id) == (AskKind.PERMISSION, "external_directory", gated.call_id)
    assert ask.directory == held.directory
    assert reader.session_asks(held.session) == ()
    assert reader.children(held.session) == ()
    with pytest.raises(ServerSaidNo) as raised:
        reader.session("ses_nope")
    assert (raised.value.status, raised.value.tag) == (404, "NotFoundError")


def test_a_session_of_another_directory(bench: Bench, capsys: Out) -> None:
    there = bench.project("there")
    held = hold(bench, there, name="held-there")
    try:
        reader, actor = bench.connection.reader, bench.connection.actor
        assert held.session not in reader.statuses()
        assert reader.statuses(there)[held.session] is Status.BUSY
        assert reader.session(held.session).status is Status.BUSY
        (ask,) = reader.asks(there)
        main(["doctor", bench.server.url, "--grace", "0", "--json"])
        tree = json.loads(capsys.readouterr().out)
        (finding,) = [one for one in tree["findings"] if one["session"] == held.session]
        assert finding["directory"] == there, "its call is unfinished, so its directory is asked"
        assert there in [scope["directory"] for scope in tree["checked"]["scopes"]]
        main(["doctor", bench.server.url, "--ask", ask.id, "--json"])
        assert json.loads(capsys.readouterr().out)["ask"]["verdict"] == "another-directory"
        with pytest.raises(ServerSaidNo, match="PermissionNotFoundError"):
            actor.reply(ask.id, "reject", session_id=held.session)
        actor.reply(ask.id, "reject", session_id=held.session, directory=there)
        bench.wait_idle(held)
    finally:
        bench.connection.actor.abort(held.session, there)


@pytest.mark.parametrize("step", by_code("W101").recovery, ids=lambda step: step.id)
def test_each_cure_ends_it_and_is_refused_afterwards(bench: Bench, held: Prompted, step: Step) -> None:
    reader, actor = bench.connection.reader, bench.connection.actor
    (ask,) = [one for one in reader.asks() if one.session_id == held.session]
    target = Target(held.session, held.directory, ask.id, "Stay inside the project.")
    record = run_step(step, target, reader, actor, allow_approval=True)
    assert record.before.status is Status.BUSY
    assert record.before.asks == (ask.id,)
    wait_for(lambda: reader.session(held.session).status is Status.IDLE, "the session to be idle", 20)
    with pytest.raises(Refused):
        run_step(step, target, reader, actor, allow_approval=True)


def test_asks_lists_it_and_answer_ends_it(
    bench: Bench, held: Prompted, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = bench.server.url
    assert main(["asks", url, "--json"]) == 1
    (ask,) = [one for one in json.loads(capsys.readouterr().out)["asks"] if one["session"] == held.session]
    assert ask["about"].startswith("mkdir -p ")
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["answer", ask["id"], url, "--once"]) == 0
    out = capsys.readouterr().out
    assert out.index(ask["about"]) < out.index("Let it run")
    assert "approved once: its call (bash) is completed" in out
    bench.wait_idle(held)
    assert main(["answer", ask["id"], url, "--reject", "--yes"]) == 1
    assert f"{ask['id']} is gone" in capsys.readouterr().err


def test_a_question_is_listed_with_its_words_and_dismissed(bench: Bench, capsys: Out) -> None:
    options = [{"label": "left", "description": "L"}, {"label": "right", "description": "R"}]
    asked = {"questions": [{"question": "Which one?", "header": "W", "options": options}]}
    script = Script("asks-a-question", (Turn(calls=(Call("question", asked),)),))
    prompted = bench.prompt(script, bench.project())
    bench.timeline.wait_for(
        prompted.session, lambda o: o.kind == "question.asked", "the server's question", 20
    )
    main(["doctor", bench.server.url, "--grace", "0", "--json", "--sample", "0"])
    tree = json.loads(capsys.readouterr().out)
    (finding,) = [one for one in tree["findings"] if one["session"] == prompted.session]
    assert (finding["variant"], finding["confidence"]) == ("question", "high")
    assert [offer["id"] for offer in finding["recovery"]] == ["question-reject", "question-abort"]
    ask_id = finding["subject"]["id"]
    main(["asks", bench.server.url])
    assert "Which one? (left | right)" in capsys.readouterr().out
    assert main(["answer", ask_id, bench.server.url, "--reject", "--yes"]) == 0
    assert "rejected: its call (question) is error" in capsys.readouterr().out
    bench.wait_idle(prompted)


def test_a_long_shell_is_no_finding_and_its_process_is_seen(bench: Bench, capsys: Out) -> None:
    script = Script("long-shell", (Turn(calls=(Call(bench.shell_tool, shell("sleep 97")),)),))
    prompted = bench.prompt(script, bench.project())
    try:
        seen = wait_for(
            lambda: [p for p in bench.server.tree() if p.argv == ("sleep", "97")], "the shell to start", 20
        )
        main(["doctor", bench.server.url, "--grace", "0", "--json", "--sample", "0.2"])
        tree = json.loads(capsys.readouterr().out)
        assert prompted.session not in [one["session"] for one in tree["findings"]]
        (one,) = [one for one in tree["activity"] if one["session"] == prompted.session]
        assert one["waiting"] == "tool"
        assert one["why"].endswith(f"process {seen[0].pid} runs its command")
        assert tree["checked"]["blind"] == []
    finally:
        bench.connection.actor.abort(prompted.session)
    bench.wait_idle(prompted)


def test_the_servers_answer_is_among_its_files_candidates(bench: Bench, held: Prompted, capsys: Out) -> None:
    file_and_server_agree(bench, held, capsys)


def test_a_long_shell_is_no_finding_of_the_file_either(bench: Bench, capsys: Out) -> None:
    script = Script("long-shell-in-a-file", (Turn(calls=(Call(bench.shell_tool, shell("sleep 98")),)),))
    prompted = bench.prompt(script, bench.project())
    try:
        wait_for(
            lambda: [p for p in bench.server.tree() if p.argv == ("sleep", "98")], "the shell to start", 20
        )
        main(["doctor", str(store(bench)), "--grace", "0", "--json", "--all"])
        tree = json.loads(capsys.readouterr().out)
        assert prompted.session not in [one["session"] for one in tree["findings"]]
        considered = [one for one in tree["checked"]["considered"] if one["session"] == prompted.session]
        assert any("runs its command" in one["why_not"] for one in considered)
    finally:
        bench.connection.actor.abort(prompted.session)
    bench.wait_idle(prompted)


def test_a_wrong_password(bench: Bench) -> None:
    with pytest.raises(WrongPassword, match="did not take the password"):
        connect(bench.server.url, password="not this one")
    with pytest.raises(WrongPassword, match="wants a password"):
        connect(bench.server.url)
