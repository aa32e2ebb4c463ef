#ifndef RACLETTE_CLATESTOP_H
#define RACLETTE_CLATESTOP_H

#include <sys/types.h>

/// Starts a process that leads a group of its own and that no signal reaches until `*release` is
/// closed, like one that waits for a processor. Returns its process id, or -1 with errno.
pid_t late_stop_start(int *release);

#endif
