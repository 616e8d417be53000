"""Which steps of a class apply to one target, with their requests. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from wedged.errors import Refused
from wedged.facts.failure_class import FailureClass
from wedged.facts.recovery import Action, Request, Step, Target


@dataclass(frozen=True, slots=True)
class Planned:
    """A step, what it is aimed at, and the request that carries it out."""

    step: Step
    target: Target
    request: Request


def plan(
    failure_class: FailureClass, target: Target, request: Callable[[Action, Target], Request]
) -> tuple[Planned, ...]:
    """The class's steps in its own order; one that this dialect has no request for is left out.

    `request` is an `Actor.request`.
    """
    planned = []
    for step in failure_class.recovery:
        try:
            planned.append(Planned(step, target, request(step.action, target)))
        except Refused:
            continue
    return tuple(planned)
