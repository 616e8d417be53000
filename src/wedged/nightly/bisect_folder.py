"""A search on disk: its question, and a run folder a version. What was measured is never measured again."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from wedged.errors import EvidenceError, UsageError
from wedged.evidence import RunFolder, merge, new_run, verdicts
from wedged.evidence.files import read, write_whole
from wedged.facts.failure_class import FailureClass
from wedged.facts.trial import ClaimVerdict, Verdict
from wedged.nightly.bisecting import Search
from wedged.nightly.work import Shard, shard_id

STATE = "bisect.json"
Measure = Callable[[Shard, Path], object]


class Question(msgspec.Struct, frozen=True):
    """What is searched: the claim, the two ends as the user named them, every version between them as the
    registry had it when the search began, and how it is measured."""

    claim: str
    good: str
    bad: str
    versions: tuple[str, ...]
    trials: int
    seed: int
    run: str
    schema: int = 1


class BisectFolder:
    """One search. Killed at any moment, it goes on where it was when it is opened again."""

    def __init__(self, path: Path, question: Question) -> None:
        """Use `open`."""
        self.path = path
        self.question = question

    @classmethod
    def open(
        cls, path: Path, question: Callable[[], Question], same: Callable[[Question], bool]
    ) -> "BisectFolder":
        """The search in `path`; a new one, with the question that `question` gives, where there is none.

        Raises:
            UsageError: there is one that is not the `same`.
            EvidenceError: what is there is unreadable.
        """
        state = path / STATE
        if not state.exists():
            asked = question()
            path.mkdir(parents=True, exist_ok=True)
            write_whole(state, msgspec.json.format(msgspec.json.encode(asked), indent=1) + b"\n")
            return cls(path, asked)
        try:
            held = msgspec.json.decode(read(state), type=Question)
        except msgspec.MsgspecError as error:
            raise EvidenceError(f"{state} is no search: {error}") from None
        if not same(held):
            raise UsageError(
                f"{path} holds another search: {held.claim}, good {held.good}, bad {held.bad}, "
                f"{held.trials} trials"
            )
        return cls(path, held)

    def claim_verdicts(self, of: FailureClass) -> dict[str, ClaimVerdict]:
        """The claim on every version that was measured. All are one run: each is a witness for the others."""
        cells = [cell for folder in self._folders() for cell in folder.cells(of.code)]
        return {one.server: one.claim(self.question.claim) for one in verdicts(of, cells)}

    def search(self, of: FailureClass) -> Search:
        """Where the search stands."""
        said = {server: verdict.verdict for server, verdict in self.claim_verdicts(of).items()}
        for version in self.question.versions:
            # Measured, and nothing came of it (a server that did not start under another name): not again.
            if version not in said and (self.path / shard_id(of.code, version)).exists():
                said[version] = Verdict.NOT_RUN
        return Search(self.question.versions, said)

    def measure_next(self, of: FailureClass, measure: Measure) -> str | None:
        """Measure one more version and return it; None where there is none left to measure."""
        version = self.search(of).next
        if version is None:
            return None
        asked = self.question
        name = shard_id(of.code, version)
        shard = Shard(name, asked.run, asked.seed, of.code, (version,), asked.trials, asked.claim)
        measure(shard, self.path / name)
        return version

    def merged(self) -> RunFolder:
        """All that was measured, as one run folder: ``PATH/run``, made anew."""
        import shutil

        shutil.rmtree(self.path / "run", ignore_errors=True)
        return merge([folder.path for folder in self._folders()], self.path / "run")

    def _folders(self) -> list[RunFolder]:
        names = (shard_id(self.question.claim.partition(".")[0], v) for v in self.question.versions)
        return [RunFolder.open(self.path / name) for name in names if (self.path / name).exists()]


def new_question(
    claim: str, good: str, bad: str, versions: tuple[str, ...], trials: int, seed: int
) -> Question:
    """A question that begins now."""
    return Question(claim, good, bad, versions, trials, seed, new_run(seed, {}).id)
