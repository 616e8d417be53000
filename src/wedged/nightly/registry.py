"""Which versions the registry has, in the order in which they came."""

from wedged.errors import InstallError, NoSuchVersion
from wedged.facts.server import ServerSpec
from wedged.servers.find_package import version_key
from wedged.servers.installed_server import line_of
from wedged.servers.leftovers import asking_folder
from wedged.servers.npm import Npm
from wedged.servers.platform_packages import Machine, package_names


def published_between(one: ServerSpec, other: ServerSpec) -> tuple[ServerSpec, ...]:
    """Every version from `one` to `other`, both included, that npm's registry has for this machine, oldest
    first. The two are of one kind; where they are of two lines (a preview and a release), both lines'
    versions are in the list.

    Raises:
        NoSuchVersion: the registry lists one of the two in none of its packages.
        NpmMissing, RegistryUnreachable, NoBinaryForPlatform, InstallError: as `Npm.versions`.
    """
    machine = Machine.here()
    found: set[str] = set()
    try:
        with asking_folder() as work:
            npm = Npm.found(work)
            asked = dict.fromkeys((*package_names(one, machine), *package_names(other, machine)))
            for package in asked:
                try:
                    listed = npm.versions(package)
                except NoSuchVersion:
                    continue
                # The preview's package also holds versions of another line, which is not looked for there.
                found.update(v for v in listed if package in package_names(ServerSpec(one.kind, v), machine))
    except OSError as error:
        raise InstallError(f"can't ask npm from a temporary folder ({error.strerror})") from None
    return between(found, one, other)


def between(found: set[str], one: ServerSpec, other: ServerSpec) -> tuple[ServerSpec, ...]:
    """Of the versions `found`, those from `one` to `other`, oldest first; pre-releases are left out where the
    older of the two is a release.

    Raises:
        NoSuchVersion: one of the two is not among them.
    """
    for spec in (one, other):
        if spec.value not in found:
            raise NoSuchVersion(f"the npm registry has no {spec}, so there is nothing between the two")
    first, last = sorted((one.value, other.value), key=version_key)
    lines = {line_of(one), line_of(other)}
    inside = (
        ServerSpec(one.kind, version)
        for version in sorted(found, key=version_key)
        if version_key(first) <= version_key(version) <= version_key(last)
    )
    return tuple(
        spec
        for spec in inside
        if line_of(spec) in lines and (spec in (one, other) or plain_release(spec) or not plain_release(one))
    )


def plain_release(spec: ServerSpec) -> bool:
    """Whether the version is a release and no snapshot of a branch."""
    return "-" not in spec.value
