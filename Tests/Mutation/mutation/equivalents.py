# SPDX-License-Identifier: Apache-2.0
"""Mutants that no test can tell from the code, each with its reason (`equivalents.txt`).

They are known by their lines, so that they survive whatever moves around them:

    FileName.swift
        the line as it is
        the line as the mutant has it, or "…" for any change of it
        # The reason, in a sentence.
"""

import pathlib

FILE = pathlib.Path(__file__).resolve().parent.parent / "equivalents.txt"


def known():
    """File name, line and changed line of each."""
    found, name, lines = set(), None, []
    for number, text in enumerate(FILE.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        if not text.startswith(" "):
            name = text
        elif not text.strip().startswith("# "):
            lines.append(text.strip())
        elif len(lines) == 2 and name:
            found.add((name, *lines))
            lines = []
        elif lines:
            raise SystemExit(f"{FILE}:{number}: a reason stands after the line and the changed line")
    if lines:
        raise SystemExit(f"{FILE}: the last mutant has no reason")
    return found


def explains(found, mutant):
    name = pathlib.PurePath(mutant.path).name
    return any((name, mutant.text, changed) in found for changed in (mutant.changed, "…"))


def outdated(found, root):
    """Those whose line is in no file of that name any more."""
    lines = {}
    for path in (root / "Sources").rglob("*.swift"):
        lines.setdefault(path.name, set()).update(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return sorted((name, line) for name, line, _ in found if line not in lines.get(name, set()))
