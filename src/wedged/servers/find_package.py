"""Which package of the registry really holds a server for this machine; and if none does, why."""

from wedged.errors import InstallError, NoBinaryForPlatform, NoSuchVersion
from wedged.facts.server import ServerSpec
from wedged.servers.installed_server import line_of
from wedged.servers.npm import Npm, Published
from wedged.servers.platform_packages import Machine, commonest_package, package_names


def find_package(npm: Npm, spec: ServerSpec, machine: Machine) -> tuple[str, Published]:
    """The first package that really holds `spec` for `machine`, and what the registry says of it.

    Raises:
        NoSuchVersion: none does; the message names the nearest versions.
        NoBinaryForPlatform: there is no package for this machine, or not of this version.
        NpmMissing, RegistryUnreachable, InstallError: as `Npm.view`.
    """
    packages = package_names(spec, machine)
    for package in packages:
        try:
            published = npm.view(package, spec.value)
        except NoSuchVersion:
            continue
        if not spec.floating and published.version != spec.value:
            raise NoSuchVersion(f"{spec} is a tag or a range; name one version, such as {published.version}")
        return package, published
    raise _absence(npm, spec, packages)


def _absence(npm: Npm, spec: ServerSpec, packages: tuple[str, ...]) -> InstallError:
    known: set[str] = set()
    for package in packages:
        try:
            known.update(npm.versions(package))
        except NoSuchVersion:
            continue
    other = commonest_package(spec)
    if other not in packages:
        try:
            npm.view(other, spec.value)
        except NoSuchVersion:
            pass
        else:
            return NoBinaryForPlatform(f"the npm registry has {spec}, but no {' or '.join(packages)} of it")
    if not known:
        names = " or ".join(packages)
        return NoBinaryForPlatform(f"the npm registry has no package for this machine ({names})")
    return NoSuchVersion(f"the npm registry has no {spec}{_nearest(spec, known)}")


def _nearest(spec: ServerSpec, known: set[str]) -> str:
    alike = (version for version in known if line_of(ServerSpec(spec.kind, version)) is line_of(spec))
    ordered = sorted(alike, key=version_key)
    wanted = version_key(spec.value)
    below = [version for version in ordered if version_key(version) < wanted][-2:]
    above = [version for version in ordered if version_key(version) > wanted][:2]
    near = [*below, *above]
    newest = f"; newest: {ordered[-1]}" if ordered and ordered[-1] not in near else ""
    return f"; nearest: {', '.join(near)}{newest}" if near else ""


def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Orders versions as people read them: numbers by value, a pre-release before its release."""
    release, _, pre = version.partition("+")[0].partition("-")
    parts = [(2, int(p), "") if p.isdecimal() else (1, 0, p) for p in release.split(".")]
    return (*parts, (2, 0, "") if not pre else (0, 0, pre))
