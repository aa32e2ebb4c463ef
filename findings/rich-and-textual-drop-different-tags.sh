#!/bin/sh
# textual 8.2.8 with rich 15.0.0 (PyPI), Python 3.11.
# Behaviour: a program made with Textual has two readers of markup. `RichLog(markup=True)` uses that of Rich: it drops
#   `[web.1]`, `[test:unit]` and `[#12]` as tags and shows `[INFO]` and `[WARN]`. `Label`, `Static` and the like use
#   Textual's own, which does just the opposite: it drops `[INFO]` and `[WARN]` and shows the other three. `[ok]` is
#   dropped by both, `[1/3]` by neither. There is no error.
# Expected: one markup within one library, or one that extends the other.
# Who meets it: viewers of logs, process managers and task runners with a terminal interface: a line that was right in
#   the log loses its level in the status bar, and the names of processes and tasks get lost the other way round.
#   `markup=False` is the remedy for text from outside; a backslash before the bracket works in both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q textual==8.2.8 rich==15.0.0
cd "$work"
cat >trial.py <<'END'
import asyncio

from textual.app import App
from textual.widgets import Label, RichLog

lines = ("[INFO] up", "[WARN] slow", "[web.1] up", "[test:unit] passed", "[#12] mended", "[ok] done", "[1/3] build",
         r"\[INFO] up", r"\[web.1] up")

class Trial(App):
    def compose(self):
        yield RichLog(markup=True)
        yield Label("")

async def main():
    app = Trial()
    async with app.run_test() as pilot:
        log, label = app.query_one(RichLog), app.query_one(Label)
        for line in lines:
            log.clear()
            log.write(line)
            label.update(line)
            await pilot.pause()
            print(f"{line}: RichLog <{log.lines[0].text}>, Label <{label.render_line(0).text.rstrip()}>")

asyncio.run(main())
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
[INFO] up: RichLog <[INFO] up>, Label < up>
[WARN] slow: RichLog <[WARN] slow>, Label < slow>
[web.1] up: RichLog < up>, Label <[web.1] up>
[test:unit] passed: RichLog < passed>, Label <[test:unit] passed>
[#12] mended: RichLog < mended>, Label <[#12] mended>
[ok] done: RichLog < done>, Label < done>
[1/3] build: RichLog <[1/3] build>, Label <[1/3] build>
\[INFO] up: RichLog <[INFO] up>, Label <[INFO] up>
\[web.1] up: RichLog <[web.1] up>, Label <[web.1] up>
END
diff seen expected
