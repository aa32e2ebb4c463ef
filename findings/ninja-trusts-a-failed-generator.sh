#!/bin/sh
# ninja 1.13.2 (PyPI) and samurai 1.2 (Debian 12).
# Behaviour: an edge of a rule with `generator = 1` that fails after it has written its output is done for the next
#   ninja: "no work to do", with status 0. Without `generator` it is executed again, since the log has no entry of
#   it; of generators ninja looks at the times alone. An output that was there before with an entry is
#   executed again in both cases.
