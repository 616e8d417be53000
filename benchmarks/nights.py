"""How long ten years of nights take to become a page, beside reading the same lines as plain JSON.

    python benchmarks/nights.py [--years N] [--servers N]

Every night says something of every class on every server. The floor is json.loads of each line, in this run.
"""

import argparse
import json
import random
import sys
import time
from datetime import UTC, datetime, timedelta

from wedged.catalog import CLASSES
from wedged.facts.trial import ClassState
from wedged.guide.history import Night, decode_nights, encode_nights, history_page

_STATES = (ClassState.PRESENT, ClassState.GONE, ClassState.FLAKY, ClassState.INCONCLUSIVE)


def invented(years: int, servers: int) -> bytes:
    """The history of so many years, always the same."""
    chance = random.Random(1)  # noqa: S311 - invented nights
    first = datetime(2026, 11, 29, 3, tzinfo=UTC)
    nights = []
    for day in range(365 * years):
        started = f"{first + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}"
        for of in CLASSES:
            for server in range(servers):
                state = chance.choices(_STATES, (90, 5, 1, 4))[0]
                flaky = (of.defining.id,) if state is ClassState.FLAKY else ()
                nights.append(
                    Night(f"run-{day}", started, of.code, f"v1@1.{server}.0", state, 10, 10, 0.5, flaky)
                )
    return encode_nights(nights)


def main() -> int:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=10)
    parser.add_argument("--servers", type=int, default=5)
    options = parser.parse_args()
    data = invented(options.years, options.servers)
    began = time.perf_counter()
    lines = [json.loads(line) for line in data.splitlines()]
    floor = time.perf_counter() - began
    began = time.perf_counter()
    page = history_page(decode_nights(data), [(of.code, of.name) for of in CLASSES])
    took = time.perf_counter() - began
    assert len(lines) == 365 * options.years * len(CLASSES) * options.servers
    assert page.count("\n| 20") == len({line["started"][:7] for line in lines})
    print(f"{len(lines)} lines, {len(data) / 1e6:.1f} MB: page of {len(page) / 1e3:.0f} kB in {took:.2f} s")
    print(f"floor, json.loads of every line: {floor:.2f} s; ratio {took / floor:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
