"""Changes to a tree of JSON: what a broken, a newer or a hostile server may say instead."""

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

SECRET = "correct-horse-battery-staple"
# What Python's json can't write, or not without running out of stack; by the text that stands for it.
RAW = {
    "@deep list@": "[" * 20_000 + "]" * 20_000,
    "@deep object@": '{"a":' * 3_000 + "1" + "}" * 3_000,
    "@many digits@": "9" * 5_000,
    "@out of range@": "1e999",
    "@half an emoji@": '"\\ud83d"',
    "@not json@": "{,}",
    "@twice the same key@": '{"id":"a","id":7}',
    "@no utf-8@": "",
}
_NO_UTF8 = b'"\xff\xfe\xc3"'
_TEXTS = (
    "",
    " ",
    "a\x00b\x07\x1b]0;title\x07\x1b[2J",
    "two\r\nlines\u2028three\u202egnirts",
    "x" * 70_000,
    "\U0001f600" * 1_000,
    "../../../etc/passwd",
    "..",
    "?directory=/tmp&limit=1#",
    "idle",
    "running",
    "assistant",
    "__proto__",
    "{0!r:>1000}%s%n",
    SECRET,
    f"Authorization: Bearer {SECRET}",
    "per_zzzzzzzzzzzz",
    "per_000000000000aaaaaaaaaaaaaa",
    "-1",
    "'; drop table session; --",
)
_NUMBERS = (
    0, -1, 1, 7, 2**31, 2**53, 2**53 - 1, -(2**53), 2**63, 2**64, 10**30, -(10**15), 1.5, -0.0, 1e300, 4e15
)  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """`walk` picks a child at each level, modulo how many there are; `act` is done to what stands there."""

    walk: tuple[int, ...]
    act: str
    value: Any = None


def odd_values() -> st.SearchStrategy[Any]:
    """A value where none is expected, or of another kind than the one that is."""
    atom = st.one_of(
        st.none(),
        st.booleans(),
        st.sampled_from(_NUMBERS),
        st.floats(),
        st.integers(),
        st.sampled_from(_TEXTS),
        st.text(max_size=20),
        st.sampled_from(tuple(RAW)),
    )
    branch = st.one_of(
        st.lists(atom, max_size=3),
        st.dictionaries(
            st.sampled_from(("id", "type", "data", "time", "state", "sessionID")), atom, max_size=3
        ),
    )
    return st.one_of(atom, atom, atom, branch)


def mutations() -> st.SearchStrategy[list[Mutation]]:
    """One to eight changes."""
    walk = st.lists(st.integers(0, 40), min_size=1, max_size=9).map(tuple)
    one = st.one_of(
        st.builds(Mutation, walk, st.sampled_from(("drop", "twice", "wrap", "rename", "many"))),
        st.builds(Mutation, walk, st.just("put"), odd_values()),
        # Of the kind that is expected, so that it comes further; here, or under this key wherever it stands.
        st.builds(Mutation, walk, st.sampled_from(("like", "all like")), st.integers(0, 1000)),
        # What stands elsewhere: another session's id, another list's element.
        st.builds(Mutation, walk, st.just("from"), walk),
    )
    return st.lists(one, min_size=1, max_size=8)


def mutated(tree: Any, changes: Sequence[Mutation]) -> Any:
    """A changed copy."""
    made = copy.deepcopy(tree)
    for change in changes:
        _change(made, change)
    return made


def written(tree: Any) -> bytes:
    """The tree as the bytes of a server's answer."""
    text = json.dumps(tree).encode()
    for name, raw in RAW.items():
        text = text.replace(json.dumps(name).encode(), raw.encode() or _NO_UTF8)
    return text


def _change(tree: Any, change: Mutation) -> None:
    found = _walk(tree, change.walk)
    if found is None:
        return
    parent, key = found
    if change.act == "put":
        parent[key] = change.value
    elif change.act == "like":
        parent[key] = _like(parent[key], change.value)
    elif change.act == "all like":
        for one in _all(tree):
            if isinstance(one, dict) and key in one:
                one[key] = _like(one[key], change.value)
    elif change.act == "from":
        other = _walk(tree, change.value)
        if other is not None:
            parent[key] = copy.deepcopy(other[0][other[1]])
    elif change.act == "wrap":
        parent[key] = [parent[key]]
    elif change.act == "drop":
        del parent[key]
    elif isinstance(parent, list):
        parent.extend(copy.deepcopy(parent[key]) for _ in range(60 if change.act == "many" else 1))
    elif change.act == "rename":
        parent[f"{key}2"] = parent.pop(key)


def _like(old: Any, pick: int) -> Any:
    """Another value of the same kind."""
    if isinstance(old, bool) or old is None:
        return pick % 2 == 0
    if isinstance(old, int | float):
        return _NUMBERS[pick % len(_NUMBERS)]
    if isinstance(old, str):
        return _TEXTS[pick % len(_TEXTS)]
    return type(old)()


def _all(tree: Any) -> Iterator[Any]:
    """Every node."""
    yield tree
    for child in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _all(child)


def _walk(tree: Any, walk: Sequence[int]) -> tuple[Any, Any] | None:
    """The parent of the node that the walk ends at, and its key there."""
    found = None
    for pick in walk:
        keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
        if not keys:
            break
        key = keys[pick % len(keys)]
        found = (tree, key)
        tree = tree[key]
    return found
