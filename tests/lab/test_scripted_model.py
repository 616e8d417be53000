"""The scripted model, asked over real HTTP as a provider client asks it."""

import json
from collections.abc import Iterator

import httpx
import pytest

from wedged.facts.trial import Lane
from wedged.lab.scripted_model import MuteModel, ScriptedModel
from wedged.lab.timeline import Timeline
from wedged.lab.turns import Call, Script, Turn

SESSION = "ses_1"


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
def model(timeline: Timeline) -> Iterator[ScriptedModel]:
    with ScriptedModel(timeline) as running:
        yield running


def ask(model: ScriptedModel, text: str, *, tools: bool = True, timeout: float = 10) -> httpx.Response:
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
    if tools:
        body["tools"] = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
    with httpx.Client(trust_env=False, timeout=timeout) as client:
        headers = {"x-session-id": SESSION}
        return client.post(f"{model.url}/chat/completions", json=body, headers=headers)


def events(answer: httpx.Response) -> list[dict[str, object]]:
    lines = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def deltas(answer: httpx.Response) -> list[dict[str, object]]:
    return [event["choices"][0]["delta"] for event in events(answer)]  # type: ignore[index]


def text_in(answer: httpx.Response) -> str:
    return "".join(str(delta.get("content", "")) for delta in deltas(answer))


def calls_in(answer: httpx.Response) -> dict[str, tuple[str, dict[str, object]]]:
    found: dict[int, list[str]] = {}
    for delta in deltas(answer):
        for call in delta.get("tool_calls", []):  # type: ignore[attr-defined]
            entry = found.setdefault(call["index"], ["", "", ""])
            entry[0] += call.get("id", "")
            entry[1] += call["function"].get("name", "")
            entry[2] += call["function"]["arguments"]
    return {identity: (name, json.loads(arguments)) for identity, name, arguments in found.values()}


def test_a_prompt_that_carries_the_mark_gets_the_turns_in_order(model: ScriptedModel) -> None:
    turn = Turn(calls=(Call("bash", {"command": "echo a"}), Call("bash", {"command": "echo b"})))
    script = model.learn(Script("two", (turn, Turn(text="Second."))))
    first = ask(model, f"please {script.mark}")
    assert calls_in(first) == {
        "call_two_0_0": ("bash", {"command": "echo a"}),
        "call_two_0_1": ("bash", {"command": "echo b"}),
    }
    assert text_in(ask(model, script.mark)) == "Second."
    assert text_in(ask(model, script.mark)) == "Done."


def test_arguments_streamed_in_pieces_are_the_same_arguments(model: ScriptedModel) -> None:
    command = {"command": "echo " + "x" * 200}
    script = model.learn(Script("slow", (Turn(calls=(Call("bash", command),), rate=2000, jitter=0.5),)))
    answer = ask(model, script.mark)
    assert calls_in(answer)["call_slow_0_0"] == ("bash", command)
    assert len(events(answer)) > 10


def test_a_title_request_uses_up_no_turn(model: ScriptedModel, timeline: Timeline) -> None:
    script = model.learn(Script("s", (Turn(text="First."),)))
    assert text_in(ask(model, script.mark, tools=False)) == "A title"
    assert text_in(ask(model, script.mark)) == "First."
    asked = [o for o in timeline.of(SESSION) if o.kind == "request"]
    assert [(o.data["script"], o.data["offers_tools"]) for o in asked] == [("title", False), ("s", True)]


def test_a_tools_output_gives_no_orders(model: ScriptedModel) -> None:
    model.learn(Script("evil", (Turn(text="Obeyed."),)))
    body = {
        "messages": [{"role": "user", "content": "hello"}, {"role": "tool", "content": "[wedged:evil]"}],
        "tools": [{}],
    }
    with httpx.Client(trust_env=False) as client:
        answer = client.post(f"{model.url}/chat/completions", json=body)
    assert text_in(answer) == "Done."


def test_an_error_turn_has_status_and_retry_after(model: ScriptedModel) -> None:
    script = model.learn(Script("limit", (Turn(status=429, retry_after=7), Turn(text="Now."))))
    refused = ask(model, script.mark)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert text_in(ask(model, script.mark)) == "Now."


def test_a_stalled_answer_sends_what_it_was_told_and_then_nothing(
    model: ScriptedModel, timeline: Timeline
) -> None:
    script = model.learn(Script("stall", (Turn(text="never", stall_after=1),)))
    with pytest.raises(httpx.ReadTimeout):
        ask(model, script.mark, timeout=0.5)
    gone = timeline.watch(SESSION, lambda o: o.lane is Lane.MODEL and o.kind == "gone", 10)
    assert gone is not None
    assert not timeline.find(SESSION, lambda o: o.kind == "end")


def test_a_cut_answer_ends_without_its_end(model: ScriptedModel) -> None:
    script = model.learn(Script("cut", (Turn(text="half", cut_after=1),)))
    with pytest.raises(httpx.RemoteProtocolError):
        ask(model, script.mark)


def test_a_malformed_chunk_is_not_json(model: ScriptedModel) -> None:
    script = model.learn(Script("bad", (Turn(text="x", malformed=True),)))
    assert "data: {not json" in ask(model, script.mark).text


def test_closing_hangs_up_on_a_stalled_answer(timeline: Timeline) -> None:
    model = ScriptedModel(timeline).start()
    script = model.learn(Script("stall", (Turn(text="never", stall_after=1),)))
    body = {"messages": [{"role": "user", "content": script.mark}], "tools": [{}]}
    with (
        httpx.Client(trust_env=False, timeout=30) as client,
        client.stream("POST", f"{model.url}/chat/completions", json=body) as answer,
    ):
        assert answer.status_code == 200
        model.close()
        with pytest.raises(httpx.RemoteProtocolError):
            answer.read()


def test_the_mute_model_is_asked_and_calls_nothing(timeline: Timeline) -> None:
    with MuteModel(timeline) as model:
        script = model.learn(Script("two", (Turn(calls=(Call("bash", {"command": "echo"}),)),)))
        answer = ask(model, script.mark)
    assert not calls_in(answer)
    assert [o.data["script"] for o in timeline.of(SESSION) if o.kind == "request"] == ["two"]
