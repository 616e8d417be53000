"""``python -m wedged``."""

import sys

from wedged.cli import main

if __name__ == "__main__":
    sys.exit(main())
