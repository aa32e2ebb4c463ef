#include "CSignals.h"
#include "effects.h"

#if defined(__linux__)

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Opens the file about a process between the two parts of its path.
static int open_file(const char *before, pid_t process, const char *behind) {
  char path[64], digits[16];
  size_t length = strlen(before), count = 0;
  memcpy(path, before, length);
  for (pid_t rest = process; rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count > 0) path[length++] = digits[--count];
  memcpy(path + length, behind, strlen(behind) + 1);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool csignals_parent_is(const char *name) {
  const int file = open_file("/proc/", getppid(), "/comm");
  if (file < 0) return false;
  char text[32];
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  const size_t length = strlen(name);
  return size == (ssize_t)length + 1 && memcmp(text, name, length) == 0;
}

// Sends SIGKILL to the process groups of all children that are in this session but in another
// process group than ours. Returns the number of such children.
static int kill_children(void) {
  int found = 0;
  const int list = open_file("/proc/self/task/", getpid(), "/children");
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

// Only on Linux can a signal handler list the children and read a name.
void csignals_kill_child_groups(void) {}

bool csignals_parent_is(const char *name) {
  (void)name;
  return false;
}

#endif
