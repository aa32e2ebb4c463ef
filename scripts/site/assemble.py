"""Assembles the pages of the site from those of the repository and from what the executable says.

assemble.py FOLDER EXECUTABLE: writes FOLDER/pages and FOLDER/mkdocs.yml, which has their order.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import marbles
import symbols

ROOT = pathlib.Path(__file__).resolve().parents[2]
LUA = "Sources/Scripting/Scripting.docc/"
RUNNER = "Sources/RacletteCLI/RacletteCLI.docc/"
REACTIVE = "Sources/Reactive/Reactive.docc/"

# Section: pages of the repository, in order.
SECTIONS = {
    "": ["README.md"],
    "Quick start": [
        LUA + "FirstCommand.md",
        RUNNER + "Overview.md",
        RUNNER + "Runner.md",
        RUNNER + "Editors.md",
    ],
    "Guide": [
        LUA + "FormsOfACommand.md",
        LUA + "SignalsInOnePage.md",
        LUA + "Processes.md",
        LUA + "ConditionsAndConcurrency.md",
        LUA + "Services.md",
        LUA + "Errors.md",
        LUA + "WaitingAndCoroutines.md",
        LUA + "UpToDate.md",
        LUA + "Caching.md",
        RUNNER + "Batch.md",
        RUNNER + "BeyondOneMachine.md",
        RUNNER + "PlacingWorkers.md",
        RUNNER + "PoolersAndFailover.md",
        RUNNER + "WhatIsThereAlready.md",
        RUNNER + "Traces.md",
        RUNNER + "ThePanel.md",
        RUNNER + "TheHub.md",
        RUNNER + "Agents.md",
        LUA + "ExploringInTheREPL.md",
        LUA + "Plugins.md",
        LUA + "TestingInVirtualTime.md",
    ],
    "Coming from": [
        RUNNER + "ComingFromJust.md",
        RUNNER + "WhatBites.md",
        REACTIVE + "ComingFrom.md",
        RUNNER + "ComingFromIPython.md",
    ],
    "Lua reference": [
        LUA + "MakingSignals.md",
        LUA + "SignalMethods.md",
        LUA + "CommandReference.md",
        LUA + "SystemReference.md",
        LUA + "ObjectReference.md",
    ],
    "Swift": [
        REACTIVE + "Reactive.md",
        REACTIVE + "Operators.md",
        "Sources/Commands/Commands.docc/Commands.md",
        "Sources/Scripting/Scripting.docc/Scripting.md",
    ],
    "Project": [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        RUNNER + "Compatibility.md",
        RUNNER + "Testing.md",
    ],
}
# The modules whose public interface has pages.
MODULES = ["Reactive", "Commands"]


def slug(section):
    """The folder of a section."""
    return section.lower().replace(" ", "-")


class Site:
    """The pages and where they stand in the site."""

    def __init__(self, folder, executable):
        self.folder = folder
        self.target = folder / "pages"
        self.executable = executable
        self.places = {}
        # The pages of each module's public interface.
        self.interface = {}
        for section, pages in SECTIONS.items():
            for page in pages:
                if (ROOT / page).exists():
                    name = "index.md" if page == "README.md" else pathlib.Path(page).name
                    self.places[page] = os.path.join(slug(section), name)
        known = set(self.places)
        for path in ROOT.glob("Sources/*/*.docc/*.md"):
            if str(path.relative_to(ROOT)) not in known:
                sys.exit(f"docs: {path.relative_to(ROOT)} is in no section of scripts/site")
        self.titles = {
            page: re.search(r"^# (.*)$", (ROOT / page).read_text(), re.M)[1].replace("``", "")
            for page in self.places
        }

    def link(self, page, target):
        """A link of a page, as it is in the site."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, _, anchor = target.partition("#")
        source = os.path.normpath(os.path.join(os.path.dirname(page), path))
        here = os.path.dirname(self.places[page])
        if source in self.places:
            place = self.places[source]
        elif (ROOT / source).is_file():
            place = os.path.join("files", source.replace(".docc", ""))
            # Markdown and MkDocs take scripts for pages to build; they are shown as they stand.
            if place.endswith((".lua", ".md")):
                place += ".txt"
            (self.target / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, self.target / place)
        else:
            sys.exit(f"docs: {page} leads to {target}, which is not there")
        return os.path.relpath(place, here) + (f"#{anchor}" if anchor else "")

    def text(self, page):
        """A page of the repository in the site's Markdown."""
        text = (ROOT / page).read_text()
        # DocC's list of symbols is navigation, which the site has of its own.
        text = re.sub(r"^## Topics\n.*", "", text, flags=re.S | re.M)
        blocks = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
        return "".join(
            self.block(page, block) if block.startswith("```") else self.prose(page, block)
            for block in blocks
        )

    def prose(self, page, text):
        """What stands between code blocks: links and names of symbols."""
        # In the code of a table, GitHub wants a bar escaped, and MkDocs does not.
        text = text.replace("`\\|`", "<code>&#124;</code>")
        text = re.sub(r"``([^`]+)``", lambda match: f"`{match[1].split('/')[-1]}`", text)

        def page_link(match):
            for other, place in self.places.items():
                if place.endswith(f"/{match[1]}.md"):
                    here = os.path.dirname(self.places[page])
                    return f"[{self.titles[other]}]({os.path.relpath(place, here)})"
            sys.exit(f"docs: {page} names the page {match[1]}, which is not there")

        text = re.sub(
            r"\]\(([^)\s]+)\)", lambda match: f"]({self.link(page, match[1])})", text
        )
        return re.sub(r"<doc:(\w+)>", page_link, text)

    def block(self, page, text):
        """A code block; a marble diagram is drawn as well."""
        language, _, body = text[3:].partition("\n")
        body = body[: -len("```")]
        picture = marbles.svg(body) if page.endswith("Operators.md") else ""
        # What follows the language, such as a file's name, becomes the block's title.
        words = language.split()
        title = f' title="{words[1]}"' if len(words) > 1 else ""
        code = f"```{words[0] if words else ''}{title}\n{body}```"
        if not picture:
            return code
        lines = [line for line in body.splitlines() if line.startswith(" ") or not line.strip()]
        code = "```swift\n" + "\n".join(line[8:] for line in lines if line.strip()) + "\n```"
        return f"{code}\n\n{picture}\n"

    def said(self, *words):
        """What the executable prints."""
        return subprocess.run(
            [self.executable, *words], check=True, capture_output=True, text=True
        ).stdout

    def command_line(self):
        """The reference of the command line, from the executable's own help."""
        overview = self.said("help")
        verbs = re.search(r"^Subcommands:\n(.*?)\n\n", overview, re.S | re.M)[1]
        parts = ["# Command line\n", f"```text\n{overview}```\n"]
        for line in verbs.splitlines():
            verb = line.split()[0]
            parts.append(f"## {verb}\n\n```text\n{self.said('help', verb)}```\n")
        return "\n".join(parts)

    def write(self, place, text):
        path = self.target / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self):
        for page, place in self.places.items():
            self.write(place, self.text(page))
        self.write("reference/CommandLine.md", self.command_line())
        self.schema("Events", "Events of --json", "events.schema.json")
        self.schema("Plans", "Lines of plans", "plan.schema.json")
        graphs = self.folder / "symbols"
        symbols.extract(MODULES, ROOT / ".build/release/Modules", graphs)
        for module in MODULES:
            for name, text in symbols.Module(module, graphs).pages():
                place = f"api/{module}/{name}"
                self.interface.setdefault(module, []).append(place)
                self.write(place, text)
        shutil.copy(ROOT / "scripts/site/site.css", self.target / "site.css")
        (self.folder / "mkdocs.yml").write_text(
            # JSON is YAML.
            json.dumps(
                {
                    "INHERIT": str(ROOT / "scripts/site/mkdocs.yml"),
                    "docs_dir": "pages",
                    "site_dir": "html",
                    "nav": self.navigation(),
                }
            )
        )

    def schema(self, name, title, file):
        """The page of a JSON schema."""
        text = (ROOT / RUNNER / file).read_text()
        self.write(f"reference/{name}.md", f"# {title}\n\n```json\n{text}```\n")

    def navigation(self):
        """The order of the pages."""
        order = []
        for section, pages in SECTIONS.items():
            entries = [self.places[page] for page in pages if page in self.places]
            order += [{section: entries}] if section else [{"Raclette": entries[0]}]
            if section == "Lua reference":
                names = ["CommandLine", "Events", "Plans"]
                order.append({"Reference": [f"reference/{name}.md" for name in names]})
            if section == "Swift":
                modules = [{module: places} for module, places in self.interface.items()]
                order.append({"Swift interface": modules})
        return order


if __name__ == "__main__":
    Site(pathlib.Path(sys.argv[1]), sys.argv[2]).build()
