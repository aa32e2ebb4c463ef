"""Lists comparisons with other software that were looked at long ago: comparisons.py [TODAY] [PAGE...]

A comparison in a page says "Compared on YEAR-MONTH-DAY with NAME VERSION". Without pages, all of the
repository are read. A page that compares without such a sentence, or a date that is none, is an error.
"""
import datetime
import pathlib
import re
import sys

OLD = datetime.timedelta(days=180)
COMPARED = re.compile(r"\bCompared on (\S+) with (.*)")
VERSIONED = re.compile(r"[A-Za-z]\S* \d+(\.\d+)+")
# Versions of other software beside these words compare; elsewhere they say what is needed.
PEERS = re.compile(r"\b(just|task|make|IPython|Node\.js|utop|fish) \d+\.\d+")


def comparisons(page):
    """The places in a page where it compares, with their dates; None for a place without one."""
    lines = page.read_text(encoding="utf-8").split("\n")
    dated = False
    for number, line in enumerate(lines, 1):
        match = COMPARED.search(line)
        if match:
            dated = True
            try:
                date = datetime.date.fromisoformat(match[1].rstrip(":;,."))
            except ValueError:
                date = None
            yield number, date if VERSIONED.search(match[2]) else None
        elif PEERS.search(line) and not dated:
            yield number, None


def main(arguments):
    today = datetime.date.today()
    if arguments and re.fullmatch(r"\d+-\d+-\d+", arguments[0]):
        today = datetime.date.fromisoformat(arguments.pop(0))
    root = pathlib.Path(__file__).resolve().parents[2]
    pages = [pathlib.Path(name) for name in arguments] or [
        root / "README.md", *sorted(root.glob("Sources/*/*.docc/*.md"))]
    status = 0
    for page in pages:
        name = page.relative_to(root) if page.is_absolute() and page.is_relative_to(root) else page
        for number, date in comparisons(page):
            if date is None:
                print(f"{name}:{number}: a comparison without its date or its versions")
                status = 1
            elif today - date > OLD:
                print(f"{name}:{number}: compared on {date}, {(today - date).days} days ago")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
