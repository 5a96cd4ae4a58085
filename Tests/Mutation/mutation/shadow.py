# SPDX-License-Identifier: Apache-2.0
"""A package of one module, of what it needs and of its tests, beside the real one.

It builds in seconds where the whole takes minutes, and its files may be changed: the working tree is never touched. The manifest
says what belongs to it. Files are copied when they differ, so that a second run builds only what is new."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import threading
import time

FAILURE = re.compile("✘.* recorded an issue")
MEMORY = 8 << 30  # bytes of address space that the tests of a mutant may take

# Tests that count to a million take a tenth of the time, and what is asserted in debug builds still is.
OPTIMISED = '.unsafeFlags(["-O", "-assert-config", "Debug"])'


class Manifest:
    def __init__(self, root):
        self.root = root
        self.content = json.loads(output(["swift", "package", "dump-package"], root))
        self.targets = {target["name"]: target for target in self.content["targets"]}

    def folder(self, name):
        target = self.targets[name]
        return pathlib.Path(target.get("path") or ("Tests" if target["type"] == "test" else "Sources") + "/" + name)

    def needs(self, name):
        """The targets that one names. Products of other packages are not among them."""
        named = [entry.get("byName") or entry.get("target") for entry in self.targets[name]["dependencies"]]
        return [entry[0] for entry in named if entry]

    def closure(self, names):
        found, rest = set(), list(names)
        while rest:
            name = rest.pop()
            if name not in found:
                found.add(name)
                rest += self.needs(name)
        return found

    def products(self, name):
        return [entry["product"][:2] for entry in self.targets[name]["dependencies"] if "product" in entry]

    def is_swift(self, name):
        return self.targets[name]["type"] != "system" and any((self.root / self.folder(name)).rglob("*.swift"))

    def tests_of(self, module):
        """The test target of its name. Where there is none, those that name the module and reach the fewest others."""
        if f"{module}Tests" in self.targets:
            return [f"{module}Tests"]
        tests = [name for name, target in self.targets.items() if target["type"] == "test" and module in self.needs(name)]
        fewest = min((len(self.closure([name])) for name in tests), default=0)
        return [name for name in tests if len(self.closure([name])) == fewest]

    @property
    def pure(self):
        """Modules that reach nothing but Swift, and have tests. What only tests use is none of them."""
        modules = [name for name, target in self.targets.items() if target["type"] == "regular" and self.tests_of(name)]
        modules = [name for name in modules if self.folder(name).parts[0] == "Sources"]
        return [name for name in modules if all(self.is_swift(other) for other in self.closure([name]))]


class Shadow:
    """`folder` is the package's; `time_limit` in seconds is for one run of the tests."""

    def __init__(self, manifest, module, folder):
        self.manifest, self.folder = manifest, folder
        self.tests = manifest.tests_of(module)
        self.targets = sorted(manifest.closure([module, *self.tests]))
        self.is_pure = all(manifest.is_swift(name) for name in self.targets)
        self.time_limit = 600
        self.copy()

    def copy(self):
        folders = {self.manifest.folder(name) for name in self.targets}
        for folder in folders:
            mirror(self.manifest.root / folder, self.folder / folder)
        # What tests read besides.
        for above in {pathlib.Path("."), *(parent for folder in folders for parent in folder.parents)}:
            for entry in (self.manifest.root / above).iterdir():
                copy = self.folder / above / entry.name
                if not copy.exists() and not entry.name.startswith(".") and not entry.name.startswith("Package."):
                    copy.symlink_to(entry)
        write(self.folder / "Package.swift", self.package().encode())

    def package(self):
        used = {package for name in self.targets for _, package in self.manifest.products(name)}
        checkouts = [self.manifest.root / ".build/checkouts" / package for package in sorted(used)]
        lines = [f"// swift-tools-version: {'.'.join(self.manifest.content['toolsVersion']['_version'].split('.')[:2])}",
                 "import PackageDescription", "let package = Package(", f'    name: "{self.manifest.content["name"]}",', "    dependencies: ["]
        lines += [f'        .package(path: "{path}"),' for path in checkouts]
        lines += ["    ],", "    targets: ["]
        lines += [f"        {self.declaration(name)}," for name in self.targets]
        modes = ", ".join(f'.version("{version}")' for version in self.manifest.content["swiftLanguageVersions"])
        return "\n".join([*lines, "    ],", f"    swiftLanguageModes: [{modes}]", ")", ""])

    def declaration(self, name):
        target, path = self.manifest.targets[name], f'path: "{self.manifest.folder(name)}"'
        if target["type"] == "system":
            library = f', pkgConfig: "{target["pkgConfig"]}"' if "pkgConfig" in target else ""
            return f'.systemLibrary(name: "{name}", {path}{library})'
        kind = {"regular": "target", "test": "testTarget", "executable": "executableTarget"}[target["type"]]
        needs = [f'"{other}"' for other in self.manifest.needs(name)]
        needs += [f'.product(name: "{product}", package: "{package}")' for product, package in self.manifest.products(name)]
        features = [setting["kind"]["enableUpcomingFeature"]["_0"] for setting in target["settings"] if "enableUpcomingFeature" in setting["kind"]]
        settings = ", ".join([*(f'.enableUpcomingFeature("{feature}")' for feature in features), OPTIMISED] if self.manifest.is_swift(name) else [])
        return f'.{kind}(name: "{name}", dependencies: [{", ".join(needs)}], {path}, swiftSettings: [{settings}])'

    def build(self):
        """What the compiler says, or nothing if it builds."""
        command = ["swift", "build", "--build-tests"]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout if done.returncode else None

    def measure(self):
        """Runs the tests as they are, and limits the time of a mutant by theirs. Gives the failure, if there is one."""
        start = time.monotonic()
        failure = self.test()
        self.time_limit = 20 + 5 * (time.monotonic() - start)
        return failure

    def test(self):
        """How the tests fail, or nothing if they pass. The first failure ends them."""
        binary = next((self.folder / ".build/debug").glob("*.xctest"))
        command = [str(binary), "--testing-library", "swift-testing"] + ([] if self.is_pure else ["--no-parallel"])
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
            preexec_fn=bounded, env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"})
        late = threading.Event()
        timer = threading.Timer(self.time_limit, lambda: (late.set(), end(process)))
        timer.start()
        try:
            failure, count = None, False
            for line in process.stdout:
                count = count or " passed after " in line and "Test run with" in line and "with 0 tests" not in line
                if FAILURE.search(line):
                    failure = line.strip()[:200]
                    break
        finally:
            timer.cancel()
            end(process)
        if late.is_set():
            return f"not done after {self.time_limit:.0f} s"
        if failure is None and not count:
            return f"the tests ended with status {process.returncode}"
        return failure


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end(process):
    """Ends the tests and whatever they have started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def mirror(source, copy):
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in wanted:
        write(copy / path, (source / path).read_bytes())
    for path in [path for path in copy.rglob("*") if path.is_file() and path.relative_to(copy) not in wanted]:
        path.unlink()


def write(path, content):
    if path.is_symlink():
        path.unlink()
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def output(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
