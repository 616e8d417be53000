"""The redactor of what leaves, in both directions; `pytest -s` prints both rates."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bundle.planted import CANARIES, HOME, HOST, SERVER_PASSWORD, USER, WORDS, Canary

from wedged.facts.redaction import REDACTED, Redactor

REDACTOR = Redactor([SERVER_PASSWORD], homes=[HOME], users=[USER], hosts=[HOST])


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.kind)
def test_no_canary_survives(canary: Canary) -> None:
    """In a text, in a tree, and in a tree that is a text in a tree."""
    for text in (
        REDACTOR.text(canary.text),
        REDACTOR.text(f"12:35:01 INFO service=llm {canary.text} took 3 ms"),
        json.dumps(REDACTOR.value({"a": [canary.text]}), ensure_ascii=False),
        REDACTOR.text(json.dumps({"line": canary.text}, ensure_ascii=False)),
    ):
        assert [secret for secret in canary.secrets if secret in text] == []


@pytest.mark.parametrize("words", WORDS)
def test_every_word_survives(words: str) -> None:
    assert REDACTOR.text(words) == words
    assert REDACTOR.value({"message": [words]}) == {"message": [words]}


def test_a_short_user_name_takes_no_words_along() -> None:
    redactor = Redactor(homes=["/home/max", "/root"], users=["max", "root"], hosts=["ci"])
    assert redactor.text("max_tokens in /home/max/a, root in /srv/root, ci") == (
        "max_tokens in ~/a, root in /srv/root, ci"
    )
    assert redactor.text("by max: /root /home/maxine") == "by [user]: ~ /home/[user]"


def test_values_that_names_give_away_are_known_everywhere() -> None:
    redactor = Redactor()
    redactor.learn(
        {"env": [{"MY_TOKEN": "Gorse-lintel-77"}], "password": "short", "TOKEN_FILE": "/run/file-x"}
    )
    assert redactor.text("tried Gorse-lintel-77 in a short while, by /run/file-x") == (
        f"tried {REDACTED} in a short while, by /run/file-x"
    )


@given(st.text(alphabet=st.sampled_from("pasword=:\"'\\ {}[]@/.~%2Fhome\n1aZ-_"), max_size=60))
def test_doing_it_twice_changes_nothing_more(text: str) -> None:
    redactor = Redactor(["wo=r"], homes=["/home/pa"], users=["pasa"], hosts=["horse"])
    once = redactor.text(text)
    assert redactor.text(once) == once


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=12,
    )
)
def test_a_tree_keeps_its_shape(tree: object) -> None:
    def shape(at: object) -> object:
        if isinstance(at, dict):
            return {len(at) > 0: sorted(str(shape(item)) for item in at.values())}
        return [shape(item) for item in at] if isinstance(at, list) else type(at)

    assert shape(Redactor().value(tree)) == shape(tree)
