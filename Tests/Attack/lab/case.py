# SPDX-License-Identifier: Apache-2.0
"""What a case is, how it is run, and what it says in the end."""

import dataclasses
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from . import ending
from .daemon import Daemon
from .origin import Origin, SilentOrigin

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = []


class Skip(Exception):
    """The case cannot be run here; says why."""


@dataclasses.dataclass
class Case:
    name: str
    promise: str
    run: object


def case(name, promise):
    """Enters a function that takes a `Lab` into the list of cases; `promise` is the sentence that it proves."""
    def enter(function):
        CASES.append(Case(name, promise, function))
        return function
    return enter


class Lab:
    """A folder, and the daemons and origins that were started in it. Leaving it ends them.

    A case tells `check` what must hold and `note` what it measured; it goes on after a check that failed."""

    def __init__(self, options):
        self.options = options
        self.failures, self.notes, self._running = [], [], []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pictor-attack-"))
        self.folder.chmod(0o755)
        # Ends what was started and unmounts, also when it is told to end.
        ending.clean_up_at_sigterm()
        return self

    def __exit__(self, *_):
        for thing in reversed(self._running):
            try:
                thing.close()
            except Exception as error:  # What is left over must not hide what the case found.
                print(f"  could not end {thing}: {error}", file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)

    def daemon(self, *flags, program=None, **more):
        return self.keep(Daemon(program or self.options.pictor, self.folder, *flags, **more))

    def origin(self, script, **more):
        return self.keep(Origin(script, **more))

    def silent_origin(self):
        return self.keep(SilentOrigin())

    def keep(self, thing):
        """`thing.close()` is called at the end."""
        self._running.append(thing)
        return thing

    def check(self, holds, sentence):
        """`sentence` says what was seen; it is printed where it should not have been."""
        if not holds:
            self.failures.append(sentence)
        return bool(holds)

    def note(self, sentence):
        self.notes.append(sentence)


def run(case, options):
    """Runs one case and prints its line. Returns ok, FAIL or skip."""
    start = time.monotonic()
    with Lab(options) as lab:
        try:
            case.run(lab)
        except Skip as reason:
            return _say("skip", case, [str(reason)], start)
        except Exception as error:
            if options.v:
                traceback.print_exc()
            lab.failures.append(f"{type(error).__name__}: {error}")
    result = "FAIL" if lab.failures else "ok"
    return _say(result, case, lab.failures[:6] + lab.notes, start)


def _say(result, case, sentences, start):
    what = "; ".join(sentences) or case.promise
    print(f"{result:4} {case.name}: {what} [{time.monotonic() - start:.1f} s]", flush=True)
    return result
