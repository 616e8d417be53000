import pytest

from wedged.errors import NoBinaryForPlatform
from wedged.facts.server import Line, ServerSpec
from wedged.servers.installed_server import line_of
from wedged.servers.platform_packages import Machine, package_names, program_name


@pytest.mark.parametrize(
    ("machine", "names"),
    [
        (Machine("linux", "x64", avx2=True), ("opencode-linux-x64", "opencode-linux-x64-baseline")),
        (Machine("linux", "x64", avx2=False), ("opencode-linux-x64-baseline",)),
        (
            Machine("linux", "x64", musl=True, avx2=True),
            ("opencode-linux-x64-musl", "opencode-linux-x64-baseline-musl"),
        ),
        (Machine("linux", "arm64"), ("opencode-linux-arm64",)),
        (Machine("linux", "arm64", musl=True), ("opencode-linux-arm64-musl",)),
        (Machine("darwin", "arm64"), ("opencode-darwin-arm64",)),
        (Machine("darwin", "x64"), ("opencode-darwin-x64-baseline", "opencode-darwin-x64")),
    ],
)
def test_packages_of_a_machine(machine: Machine, names: tuple[str, ...]) -> None:
    assert package_names(ServerSpec.parse("v1@1.17.18"), machine) == names


@pytest.mark.parametrize(
    ("spec", "package", "program", "line"),
    [
        ("v1@1.17.18", "opencode-linux-arm64", "opencode", Line.V1),
        ("v1@latest", "opencode-linux-arm64", "opencode", Line.V1),
        ("v2@0.0.0-next-16350", "@opencode-ai/cli-linux-arm64", "opencode2", Line.V2_PREVIEW),
        ("v2@2.0.15", "@opencode/cli-linux-arm64", "opencode", Line.V2_RELEASED),
    ],
)
def test_packages_of_a_line(spec: str, package: str, program: str, line: Line) -> None:
    parsed = ServerSpec.parse(spec)
    assert package_names(parsed, Machine("linux", "arm64")) == (package,)
    assert program_name(parsed) == program
    assert line_of(parsed) is line


@pytest.mark.parametrize("machine", [Machine("linux", "riscv64"), Machine("win32", "x64")])
def test_a_machine_without_packages(machine: Machine) -> None:
    with pytest.raises(NoBinaryForPlatform, match=machine.architecture):
        package_names(ServerSpec.parse("v1@1.17.18"), machine)


def test_this_machine_is_known() -> None:
    assert package_names(ServerSpec.parse("v1@1.17.18"), Machine.here())
