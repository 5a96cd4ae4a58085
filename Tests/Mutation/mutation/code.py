# SPDX-License-Identifier: Apache-2.0
"""What in a Swift file is code: its tokens, without comments, strings, attributes and imports."""

import dataclasses
import re

TOKEN = re.compile(
    r"(?P<number>(?<![\w$])(?<![\w)\]]\.)(?:0x[\da-fA-F][\da-fA-F_]*|0b[01][01_]*|\d[\d_]*(?:\.\d[\d_]*)?)(?!\w))"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<operator>[-+*/%=<>!&|^~?.]+)|(?P<bracket>[()\[\]{}])|(?P<mark>[,:;])|(?P<line>\n)"
)
NO_CODE = re.compile(r"^[ ]*(?:(?:package |internal |public |private )?import |#).*$|@\w+(?:\([^()\n]*\))?", re.M)


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


def tokens(text):
    return [Token(match.lastgroup, match.group(), match.start()) for match in TOKEN.finditer(masked(text))]


def masked(text):
    """The text with blanks in place of what is not code. Every character keeps its place."""
    parts, place = [], 0
    while place < len(text):
        if text.startswith("//", place):
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
        elif text.startswith("/*", place):
            end = text.find("*/", place) + 2 or len(text)
        elif text[place] == '"':
            end = end_of_string(text, place)
        else:
            parts.append(text[place])
            place += 1
            continue
        parts.append(blank(text[place:end]))
        place = end
    return NO_CODE.sub(lambda match: blank(match.group()), "".join(parts))


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def end_of_string(text, start):
    """Where a literal ends that begins with a quotation mark; what it interpolates may hold others."""
    quote = '"""' if text.startswith('"""', start) else '"'
    place = start + len(quote)
    while place < len(text) and not text.startswith(quote, place):
        if text.startswith("\\(", place):
            place = end_of_interpolation(text, place + 2)
        else:
            place += 2 if text[place] == "\\" else 1
    return place + len(quote)


def end_of_interpolation(text, place):
    depth = 1
    while place < len(text) and depth:
        if text[place] == '"':
            place = end_of_string(text, place)
        else:
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
    return place
