// What a C program would do that wants nothing but to claim the entries of a journal on a server and to
// record that they have completed, with the statements and the events of a worker.
#pragma once

/// Claims entries, at most `most` at a time, and records them until nothing is left.
///
/// @return The number of entries, or -1 after a message.
long queue_floor_run(const char *url, int most);
