"""Draws the marble diagrams of the operators' page as SVG."""
import html
import re

# The width of a character's place and the height of a row, in pixels.
PLACE, ROW = 22, 36
ROW_PATTERN = re.compile(r"^(\w+)( +)(\S.*)$")
TOKEN = re.compile(r"'[^']*'|.")


def _rows(block):
    """The rows of a diagram: name, first column and marbles. Other lines are code."""
    for line in block.splitlines():
        match = ROW_PATTERN.match(line)
        if match and re.fullmatch(r"(?:'[^']*'|[-\w\s()|#^!])+", match[3]):
            yield match[1], match.start(3), match[3]


def _mark(token, x, y, width):
    """The picture of one token, around a point."""
    label = html.escape(token.strip("'"))
    if token == "|":
        return f'<line class="end" x1="{x}" x2="{x}" y1="{y - 11}" y2="{y + 11}"/>'
    if token == "!":
        return f'<line class="disposal" x1="{x}" x2="{x}" y1="{y - 11}" y2="{y + 11}"/>'
    if token == "#":
        return "".join(
            f'<line class="error" x1="{x - 7}" x2="{x + 7}" y1="{y - 7 * sign}" y2="{y + 7 * sign}"/>'
            for sign in (1, -1)
        )
    if token == "^":
        return f'<path class="subscription" d="M{x - 6} {y + 12}h12l-6 -10z"/>'
    half = max(10, width * PLACE / 2 - 2)
    return (
        f'<rect class="value" x="{x - half}" y="{y - 10}" width="{2 * half}" height="20" rx="10"/>'
        f'<text x="{x}" y="{y + 4}" text-anchor="middle">{label}</text>'
    )


def svg(block):
    """The picture of a diagram, or nothing if it has no rows."""
    rows = list(_rows(block))
    if not rows:
        return ""
    first = min(column for _, column, _ in rows)
    names = max(len(name) for name, _, _ in rows) * 8 + 16
    end = max(column + len(marbles) for _, column, marbles in rows)
    width = names + (end - first) * PLACE + PLACE
    parts = []
    for index, (name, column, marbles) in enumerate(rows):
        y = index * ROW + ROW // 2
        start = names + (column - first) * PLACE
        stop = start + len(marbles) * PLACE
        parts.append(f'<text class="name" x="0" y="{y + 4}">{html.escape(name)}</text>')
        parts.append(f'<line class="time" x1="{start}" x2="{stop}" y1="{y}" y2="{y}"/>')
        marks = []
        opening = 0
        for match in TOKEN.finditer(marbles):
            token, length = match[0], len(match[0])
            left = start + match.start() * PLACE
            if token == "(":
                opening = left
            elif token == ")":
                parts.append(
                    f'<rect class="instant" x="{opening + 4}" y="{y - 15}" '
                    f'width="{left + PLACE - opening - 8}" height="30" rx="8"/>'
                )
            elif token not in "- ":
                marks.append(_mark(token, left + length * PLACE / 2, y, length))
        parts += marks
    height = len(rows) * ROW
    text = html.escape("; ".join(f"{name}: {marbles}" for name, _, marbles in rows), quote=True)
    return (
        f'<div class="marbles"><svg role="img" aria-label="{text}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">{"".join(parts)}</svg></div>'
    )
