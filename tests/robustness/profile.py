"""How many inputs are tried: hundreds by default, the same ones each time; thousands of new ones on request.

HYPOTHESIS_PROFILE=thorough pytest tests/robustness
"""

import os

from hypothesis import HealthCheck, settings

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def inputs(few: int, many: int) -> settings:
    """Settings for a test that tries `few` inputs, `many` when thorough."""
    return settings(
        max_examples=many if THOROUGH else few,
        derandomize=not THOROUGH,
        # Nothing is written into the checkout; a failing input is printed in full.
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
