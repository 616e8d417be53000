"""Which releases lie between two: by the registry, without snapshots, and of the right package."""

import pytest

from wedged.errors import NoSuchVersion
from wedged.facts.server import ServerSpec
from wedged.nightly.registry import between, published_between

FOUND = {"1.2.27", "1.14.41", "1.14.9", "1.15.13", "1.15.0-beta.1", "1.17.0", "0.0.0-dev-1"}


def names(*specs: ServerSpec) -> list[str]:
    """As written."""
    return [str(spec) for spec in specs]


def test_oldest_first_by_value_and_without_snapshots() -> None:
    one, other = ServerSpec.parse("v1@1.15.13"), ServerSpec.parse("v1@1.14.9")
    assert names(*between(FOUND, one, other)) == ["v1@1.14.9", "v1@1.14.41", "v1@1.15.13"]


def test_a_preview_and_a_release() -> None:
    found = {"0.0.0-next-16350", "0.0.0-next-16400", "2.0.15", "2.1.0"}
    ends = ServerSpec.parse("v2@0.0.0-next-16350"), ServerSpec.parse("v2@2.0.15")
    assert names(*between(found, *ends)) == ["v2@0.0.0-next-16350", "v2@0.0.0-next-16400", "v2@2.0.15"]


def test_an_end_that_was_never_published() -> None:
    with pytest.raises(NoSuchVersion, match=r"v1@1\.16\.0"):
        between(FOUND, ServerSpec.parse("v1@1.14.41"), ServerSpec.parse("v1@1.16.0"))


def test_a_version_counts_only_in_the_package_that_is_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # As seen: the preview's package lists a 1.18.18, which no V2 package brings.
    listed = {"@opencode-ai/cli": ("0.0.0-next-16350", "1.18.18"), "@opencode/cli": ("2.0.15",)}

    class Registry:
        @classmethod
        def found(cls, _: object) -> "Registry":
            return cls()

        def versions(self, package: str) -> tuple[str, ...]:
            return next(versions for name, versions in listed.items() if package.startswith(name))

    monkeypatch.setattr("wedged.nightly.registry.Npm", Registry)
    ends = ServerSpec.parse("v2@0.0.0-next-16350"), ServerSpec.parse("v2@2.0.15")
    assert names(*published_between(*ends)) == ["v2@0.0.0-next-16350", "v2@2.0.15"]
