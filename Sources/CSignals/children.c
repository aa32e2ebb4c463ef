#include "CSignals.h"

#if defined(__linux__)

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Sends SIGKILL to the process groups of all children that are in this session but in another
// process group than ours. Returns the number of such children.
static int kill_children(void) {
  int found = 0;
  char path[64] = "/proc/self/task/", digits[16];
  size_t length = 16, count = 0;
  for (pid_t rest = getpid(); rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count > 0) path[length++] = digits[--count];
  static const char name[] = "/children";
  for (size_t i = 0; i < sizeof name; i++) path[length + i] = name[i];
  int list = open(path, O_RDONLY | O_CLOEXEC);
  if (list < 0) return 0;
  const pid_t group = getpgrp(), session = getsid(0);
  char text[4096];
  pid_t child = 0;
  for (ssize_t size; (size = read(list, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < size; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        child = child * 10 + (text[i] - '0');
        continue;
      }
      const pid_t its = child > 0 ? getpgid(child) : 0;
      if (its > 0 && its != group && getsid(child) == session) {
        kill(-its, SIGKILL);
        found++;
      }
      child = 0;
    }
  }
  close(list);
  return found;
}

void csignals_kill_child_groups(void) {
  const struct timespec moment = {0, 1000000};
  for (int round = 0; round < 100 && kill_children() > 0; round++) {
    nanosleep(&moment, NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
  }
}

#else

// Only on Linux can a signal handler list the children.
void csignals_kill_child_groups(void) {}

#endif
