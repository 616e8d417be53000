"""mkdocs, called so that it is strict, asks no other host, and writes the same bytes each time."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from wedged.errors import SiteNotBuilt

# A build's own clock: nothing of the site may depend on it, and no page needs them without a known address.
_DATED = ("sitemap.xml", "sitemap.xml.gz")


def mkdocs_build(config: Path, *, docs: Path, site: Path, nav: Sequence[object], started: str) -> Path:
    """Build `docs` into `site` with the settings of `config` and the given navigation; its index.html.

    `started` (UTC, ISO 8601) is the only time that the site knows.

    Raises:
        SiteNotBuilt: mkdocs refused, or warned.
    """
    # JSON is YAML. Paths in an inherited file would be resolved from the heir, so they are given here.
    heir = docs.parent / "mkdocs.json.yml"
    theme = {"custom_dir": str(Path(__file__).with_name("theme"))}
    settings = {"INHERIT": str(config.resolve()), "docs_dir": str(docs.resolve()), "theme": theme, "nav": nav}
    heir.write_text(json.dumps(settings, indent=1), encoding="utf-8")
    epoch = str(int(datetime.fromisoformat(started.replace("Z", "+00:00")).astimezone(UTC).timestamp()))
    # Not --quiet: mkdocs then doesn't count its warnings, and --strict has nothing to refuse.
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"),
            *("--config-file", str(heir), "--site-dir", str(site.resolve())),
        ],
        env={**os.environ, "SOURCE_DATE_EPOCH": epoch, "NO_MKDOCS_2_WARNING": "1", "PYTHONHASHSEED": "0"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines()]
        words = " / ".join(line for line in lines if line and not line.startswith("INFO"))
        raise SiteNotBuilt(f"mkdocs refused the pages: {words[-1500:]}")
    for name in _DATED:
        (site / name).unlink(missing_ok=True)
    return site / "index.html"
