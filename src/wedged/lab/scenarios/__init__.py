"""One module a failure class: cause() and hold() apart from what measures them."""

from wedged.errors import UnknownCode
from wedged.lab.scenarios import w101_ungated_external_ask
from wedged.lab.trials import Scenario

SCENARIOS: tuple[Scenario, ...] = (w101_ungated_external_ask.Scenario(),)


def scenario(code: str) -> Scenario:
    """The scenario of a failure class.

    Raises:
        UnknownCode: there is none.
    """
    for each in SCENARIOS:
        if each.code == code:
            return each
    raise UnknownCode(f"no scenario for {code}; there are {', '.join(s.code for s in SCENARIOS)}")
