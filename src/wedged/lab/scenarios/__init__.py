"""One module a failure class: cause() and hold() apart from what measures them."""

from wedged.errors import UnknownCode
from wedged.lab.scenarios import (
    w001_wrong_directory,
    w002_two_servers_one_store,
    w101_ungated_external_ask,
    w102_disposal_without_revocation,
    w103_decline_as_shutdown,
    w104_leftover_ask,
    w105_hidden_child_ask,
    w201_hard_crash,
    w203_orphaned_process,
    w301_invisible_background_shell,
)
from wedged.lab.trials import Scenario

SCENARIOS: tuple[Scenario, ...] = (
    w001_wrong_directory.Scenario(),
    w002_two_servers_one_store.Scenario(),
    w101_ungated_external_ask.Scenario(),
    w102_disposal_without_revocation.Scenario(),
    w103_decline_as_shutdown.Scenario(),
    w104_leftover_ask.Scenario(),
    w105_hidden_child_ask.Scenario(),
    w201_hard_crash.Scenario(),
    w203_orphaned_process.Scenario(),
    w301_invisible_background_shell.Scenario(),
)


def scenario(code: str) -> Scenario:
    """The scenario of a failure class.

    Raises:
        UnknownCode: there is none.
    """
    for each in SCENARIOS:
        if each.code == code:
            return each
    raise UnknownCode(f"no scenario for {code}; there are {', '.join(s.code for s in SCENARIOS)}")
