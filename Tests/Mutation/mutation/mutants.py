# SPDX-License-Identifier: Apache-2.0
"""The mutants of a Swift file: for each place, what could stand there by a slip of the hand."""

import dataclasses
import re

from mutation import code

# A binary operator, with blanks on both sides as the formatter demands, and what replaces it.
OPERATORS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",), "===": ("!==",),
    "!==": ("===",), "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "&+": ("&-",),
    "&-": ("&+",), "&*": ("&+",), "+=": ("-=",), "-=": ("+=",), "*=": ("+=",), "/=": ("*=",), "&+=": ("&-=",), "&-=": ("&+=",),
    "<<": (">>",), ">>": ("<<",), "&<<": ("&>>",), "&>>": ("&<<",), "<<=": (">>=",), ">>=": ("<<=",), "|": ("&",), "&": ("|",),
    "^": ("|",), "|=": ("&=",), "&=": ("|=",), "^=": ("|=",),
}
RANGES = {"..<": "...", "...": "..<"}
WORDS = {"true": "false", "false": "true", "min": "max", "max": "min", "break": "continue", "continue": "break"}
CONDITIONAL = {"if", "guard", "while"}
# A hint to the allocator and a check in debug builds change no answer.
NO_PROMISE = re.compile(r"\b(?:reserveCapacity|minimumCapacity|assert|assertionFailure|hasher)\b")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one file. Only the text between `start` and `end` differs."""

    path: str
    start: int
    end: int
    old: str
    new: str
    line: int
    text: str
    changed: str

    def applied(self, source):
        return source[:self.start] + self.new + source[self.end:]

    def __str__(self):
        return f"{self.path}:{self.line}  {self.old} → {self.new}\n    {self.text}"


def of(path, source):
    found = code.tokens(source)
    changes = []
    for index, token in enumerate(found):
        changes += [(token.start, token.end, new) for new in replacements(found, index, source)]
        if token.text in CONDITIONAL:
            changes += negations(found, index, source)
        if token.text == "return":
            changes += missing_values(found, index, source)
    mutants = (mutant(path, source, *change) for change in sorted(set(changes)))
    return [mutant for mutant in mutants if not NO_PROMISE.search(mutant.text)]


def mutant(path, source, start, end, new):
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end)
    last = len(source) if last < 0 else last
    changed = source[first:start] + new + source[end:last]
    return Mutant(path, start, end, source[start:end], new, source.count("\n", 0, start) + 1, source[first:last].strip(), changed.strip())


def replacements(found, index, source):
    token, before, after = found[index], found[index - 1] if index else None, found[index + 1] if index + 1 < len(found) else None
    if token.kind == "number":
        return numbers(token.text)
    if token.kind == "word":
        declared = before is not None and before.text in {"func", "let", "var", "case"} or after is not None and after.text == ":"
        return [] if declared or token.text not in WORDS else [WORDS[token.text]]
    if token.kind != "operator" or before is not None and before.text == "func":
        return []
    if token.text in RANGES:
        return [RANGES[token.text]]
    spaces = source[token.start - 1].isspace(), source[token.end:token.end + 1].isspace()
    if spaces == (True, True):
        return OPERATORS.get(token.text, ())
    is_prefix = not spaces[1] and (spaces[0] or source[token.start - 1] in "([{")
    return [""] if token.text in {"!", "-"} and is_prefix else []


def numbers(text):
    """One more, one less, and nothing."""
    if "." in text:
        value = float(text.replace("_", ""))
        return [repr(value + 1), repr(value / 2)]
    value = int(text.replace("_", ""), 0)
    spelled = "0x{:X}".format if text.startswith("0x") else bin if text.startswith("0b") else str
    return [spelled(other) for other in dict.fromkeys((value + 1, value - 1, 0)) if other >= 0 and other != value]


def negations(found, index, source):
    """Each condition of an `if`, a `guard` or a `while`, the other way round."""
    depth, start = 0, index + 1
    for place in range(index + 1, len(found)):
        token = found[place]
        if depth == 0 and (token.text in {",", "{"} or token.text == "else"):
            clause = found[start:place]
            if clause and is_condition(clause):
                first, last = clause[0].start, source[:token.start].rstrip()
                yield first, len(last), f"!({source[first:len(last)]})"
            start = place + 1
            if token.text != ",":
                return
        elif token.kind == "bracket":
            depth += 1 if token.text in "([{" else -1


def is_condition(clause):
    """Whether it stands on one line and no change of a single operator says the same."""
    texts = {token.text for token in clause}
    if texts & {"let", "var", "case", "\n"}:
        return False
    return bool(texts & {"&&", "||"}) or not texts & {"==", "!=", "!", "===", "!=="}


def missing_values(found, index, source):
    """`return nil` in place of a value, where what is returned may be missing."""
    head = source[:found[index].start]
    signature = head[max(head.rfind("->"), 0):].split("{")[0].strip()
    end = source.find("\n", found[index].end)
    value = source[found[index].end:end].strip()
    is_whole = value and all(value.count(opening) == value.count(closing) for opening, closing in ("()", "[]", "{}"))
    if signature.endswith("?") and is_whole and value != "nil" and "//" not in value:
        yield found[index].end + 1, found[index].end + 1 + len(value), "nil"
