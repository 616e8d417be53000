"""How long ``wedged --help`` takes, beside Python's own start and the import of click.

python -m benchmarks.start_up [--runs N]
"""

import argparse
import sys

from benchmarks.measure import Ran, measure, python, wedged

_LIMIT_S = 0.15
_WAYS = {
    "python -c pass": python("pass"),
    "python -c 'import click'": python("import click"),
    "wedged --version": wedged("--version"),
    "wedged --help": wedged("--help"),
    "wedged doctor --help": wedged("doctor", "--help"),
}


def fine(ran: Ran) -> None:
    """It ended well."""
    assert ran.code == 0


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="runs of each (default: %(default)s)")
    runs = parser.parse_args().runs
    seen = {name: measure(argv, runs, check=fine) for name, argv in _WAYS.items()}
    floor = seen["python -c 'import click'"].seconds
    for name, one in seen.items():
        print(f"{name}: {one}; {one.seconds / floor:.2f} of the import of click")
    took = seen["wedged --help"].seconds
    print(f"the help is to take at most {_LIMIT_S:g} s: {'it does' if took <= _LIMIT_S else 'it takes more'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
