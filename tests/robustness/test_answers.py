"""What a server answers may be anything: one line or a report, never a traceback, never a write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .answers import LINES, answers_of
from .looking import doctor
from .mutation import Mutation, mutated, mutations
from .profile import inputs
from .served import Fault, Served, faults
from .tried import came_of, count

# What doctor can tell of these states from a server's answers alone, without a look at its processes.
FOUND = {
    "v1": {"W101"},
    "v1 in many states": {"W101", "W105", "W201"},
    "v1-1.17.18-held": {"W001", "W101", "W104", "W105", "W201"},
    "v2-0.0.0-next-16350-held": {"W101", "W102", "W105", "W201", "W301"},
    "v2-2.0.15-held": {"W101", "W103", "W105", "W201", "W301"},
}


@pytest.mark.parametrize("line", LINES)
def test_the_answers_as_they_were_make_their_findings(line: str) -> None:
    looked = doctor(Served(*answers_of(line)))
    assert looked.diagnosis, looked.error
    assert {finding.code for finding in looked.diagnosis.findings} == FOUND[line]
    assert looked.diagnosis.latest.gaps == ()


@pytest.mark.parametrize("line", LINES)
def test_changed_answers(line: str) -> None:
    sample, after = answers_of(line)
    session = next(path.split("/")[-1] for path in sample if path.rpartition("/")[2].startswith("ses_"))
    kinds = came_of(f"answers of {line}")

    @inputs(few=60, many=600)
    @given(mutations(), st.one_of(st.just([]), mutations()), faults(), st.booleans())
    def changed(first: list[Mutation], then: list[Mutation], broken: list[Fault], every: bool) -> None:
        answers = mutated(sample, first)
        later = mutated(after or answers, then) if then else after
        looked = doctor(Served(answers, later, broken), named=session if every else "", every=every)
        found = looked.diagnosis.findings if looked.diagnosis else ()
        count(kinds, "error" if looked.diagnosis is None else "finding" if found else "report")

    changed()
    # A change that only ever ends the look at its start would prove little.
    assert kinds["finding"] + kinds["report"] > kinds.total() / 3


@pytest.mark.parametrize("generations", [300])
def test_sub_agents_of_sub_agents_without_an_end(generations: int) -> None:
    answers, _ = answers_of("v1")
    (session,) = answers["/session"]
    (asking,) = answers["/session/status"]
    for n in range(generations):
        child = session | {"id": f"ses_{n}", "parentID": f"ses_{n - 1}" if n else asking}
        answers["/session"].append(child)
        answers["/session/status"][child["id"]] = {"type": "busy"}
        answers[f"/session/{child['id']}"] = child
        answers[f"/session/{child['id']}/message"] = answers[f"/session/{asking}/message"]
    looked = doctor(Served(answers))
    assert looked.diagnosis, looked.error
    assert len(looked.diagnosis.activity) == generations + 1
