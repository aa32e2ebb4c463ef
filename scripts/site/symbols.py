"""Writes the pages of a Swift module's public interface from its symbol graph.

The graphs are those of `swift package dump-symbol-graph`, which swift-symbolgraph-extract makes of modules
that are built already.
"""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"class", "struct", "enum", "protocol", "actor", "typealias"}
# The order of members, and their headings.
MEMBERS = {
    "enum.case": "Cases",
    "init": "Initializers",
    "type.property": "Type properties",
    "type.method": "Type methods",
    "property": "Properties",
    "subscript": "Subscripts",
    "method": "Methods",
    "func.op": "Operators",
    "associatedtype": "Associated types",
}


def extract(modules, built, folder):
    """Makes the symbol graphs of built modules in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    swift = pathlib.Path(
        subprocess.check_output(["sh", "-c", "readlink -f $(command -v swift)"], text=True).strip()
    )
    target = json.loads(subprocess.check_output(["swift", "-print-target-info"], text=True))
    for module in modules:
        subprocess.run(
            [swift.parent / "swift-symbolgraph-extract", "-module-name", module, "-I", built]
            + [word for path in sorted(ROOT.glob("Sources/C*/include")) for word in ("-I", path)]
            # The maps of C modules that have none of their own.
            + [word for path in sorted(built.parent.glob("C*.build")) for word in ("-I", path)]
            + ["-target", target["target"]["triple"], "-output-dir", folder]
            + ["-minimum-access-level", "public", "-skip-synthesized-members"],
            check=True,
        )


class Module:
    """The public symbols of a module, by the types that they belong to."""

    def __init__(self, name, folder):
        self.name = name
        symbols = json.loads((folder / f"{name}.symbols.json").read_text())["symbols"]
        self.types = {}
        self.members = {}
        for symbol in symbols:
            kind = symbol["kind"]["identifier"].removeprefix("swift.")
            path = tuple(symbol["pathComponents"])
            if kind in TYPES:
                self.types[path] = symbol
            else:
                self.members.setdefault(path[:-1], []).append((kind, symbol))

    def pages(self):
        """The file of each page and its text: the module's own first, then one for each type."""
        tops = sorted(path for path in self.types if len(path) == 1)
        index = [f"# {self.name}: public interface\n", "| Type | |", "|---|---|"]
        for path in tops:
            index.append(f"| [`{path[0]}`]({path[0]}.md) | {first_sentence(self.types[path])} |")
        yield "index.md", "\n".join(index) + "\n" + self.section((), 2)
        for path in tops:
            yield f"{path[0]}.md", self.type_text(path, 1)

    def type_text(self, path, level):
        """A type with its members, then the types inside it."""
        symbol = self.types[path]
        parts = [f"{'#' * level} {'.'.join(path)}\n", declaration(symbol), comment(symbol)]
        parts.append(self.section(path, level + 1))
        for inner in sorted(self.types):
            if inner[:-1] == path:
                parts.append(self.type_text(inner, level + 1))
        return "\n".join(parts)

    def section(self, path, level):
        """The members of a type, by kind."""
        parts = []
        members = self.members.get(path, [])
        # Functions of the module itself come last.
        kinds = list(MEMBERS) + sorted({kind for kind, _ in members} - set(MEMBERS))
        for kind in kinds:
            if all(other != kind for other, _ in members):
                continue
            parts.append(f"{'#' * level} {MEMBERS.get(kind, 'Functions')}\n")
            for _, symbol in sorted(
                (pair for pair in members if pair[0] == kind),
                key=lambda pair: (pair[1]["pathComponents"][-1], text_of(pair[1])),
            ):
                parts += [f"{'#' * (level + 1)} {symbol['pathComponents'][-1]}\n"]
                parts += [declaration(symbol), comment(symbol)]
        return "\n".join(parts)


def text_of(symbol):
    """The declaration in one line."""
    return "".join(part["spelling"] for part in symbol["declarationFragments"])


def declaration(symbol):
    """The declaration; a long one has a line for each parameter."""
    text = text_of(symbol)
    if len(text) > 90:
        text = re.sub(r", (?=\w+:|\w+ \w+:|_ \w+:)", ",\n    ", text)
    return f"```swift\n{text}\n```\n"


def comment(symbol):
    """The documentation in the site's Markdown."""
    lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
    result = []
    is_code = False
    for line in lines:
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            line = re.sub(r"``([^`]+)``", lambda match: f"`{match[1].split('/')[-1]}`", line)
            line = re.sub(r"<doc:(\w+)>", r"\1", line)
            # A list begins after an empty line, and is indented by four.
            if re.match(r" *- ", line):
                indent = len(line) - len(line.lstrip())
                if result and result[-1] and not re.match(r" *- |  ", result[-1]):
                    result.append("")
                line = " " * (2 * indent) + line.lstrip()
        result.append(line)
    return "\n".join(result) + "\n"


def first_sentence(symbol):
    """What the documentation says first, for a table."""
    text = " ".join(comment(symbol).split("\n\n")[0].split())
    return re.match(r".*?[.:](?= |$)|.*", text)[0].replace("|", "\\|")
