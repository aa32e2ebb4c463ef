#ifndef RACLETTE_CLIBUV_SHIM_H
#define RACLETTE_CLIBUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

// What Swift cannot call itself: functions with variable arguments, the global `environ`, and
// extensions of the C library that its module is imported without.

extern char **environ;

/// The environment that a child inherits.
static inline char **clibuv_environment(void) { return environ; }

#if defined(__linux__)

#include <sys/prctl.h>

extern int pipe2(int fds[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(
    posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addtcsetpgrp_np(
    posix_spawn_file_actions_t *actions, int terminal);

/// Makes the child's group own a terminal before the program starts.
static inline int clibuv_add_terminal(posix_spawn_file_actions_t *actions, int terminal) {
  return posix_spawn_file_actions_addtcsetpgrp_np(actions, terminal);
}

/// Makes orphaned descendants children of this process. Returns 0 or an errno value.
static inline int clibuv_adopt_orphans(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0 ? 0 : errno;
}

/// A pipe that children do not inherit. Returns 0 or an errno value.
static inline int clibuv_private_pipe(int fds[2]) {
  return pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;
}

/// Sends SIGKILL to the process groups of all children that stay in this session but lead a group
/// of their own or belong to such a one. Returns how many such children there are.
static inline int clibuv_kill_children(void) {
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

/// Kills the same, and those that become our children by that: a runner inside has groups of its own.
/// Takes a tenth of a second at most. Only for a process that is about to end, as it reaps them all;
/// only calls what a signal handler may.
static inline void clibuv_kill_child_groups(void) {
  const struct timespec moment = {0, 1000000};
  for (int round = 0; round < 100 && clibuv_kill_children() > 0; round++) {
    nanosleep(&moment, NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
  }
}

#else

/// Without a way to do it in the child; the parent does it as soon as there is one.
static inline int clibuv_add_terminal(posix_spawn_file_actions_t *actions, int terminal) {
  return 0;
}

/// Only Linux tells a signal handler who the children are.
static inline void clibuv_kill_child_groups(void) {}

/// Makes orphaned descendants children of this process. Returns 0 or an errno value.
static inline int clibuv_adopt_orphans(void) { return ENOSYS; }

/// A pipe that children do not inherit. Returns 0 or an errno value.
static inline int clibuv_private_pipe(int fds[2]) {
  if (pipe(fds) != 0) return errno;
  fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  fcntl(fds[1], F_SETFD, FD_CLOEXEC);
  return 0;
}

#endif

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

/// What a program that is started leads: a process group in our session, or a session of its own.
enum clibuv_leadership {
  clibuv_leads_group = POSIX_SPAWN_SETPGROUP,
  clibuv_leads_session = POSIX_SPAWN_SETSID
};

/// Starts a program in `directory` (NULL: ours), with these standard streams (negative: ours), as
/// the leader of a process group or session of its own, with default signal actions and an empty mask.
/// Its group owns `terminal`, unless that is negative. Returns 0 or an errno value. In C, because the
/// types differ between systems.
static inline int clibuv_spawn_leader(
    pid_t *pid, const char *path, char *const argv[], char *const environment[],
    const char *directory, enum clibuv_leadership leads, int terminal, int input, int output,
    int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return code;
  }
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, (short)(leads | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));

  if (terminal >= 0) code = clibuv_add_terminal(&actions, terminal);
  if (code == 0 && input >= 0)
    code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (code == 0 && output >= 0)
    code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (code == 0 && errors >= 0)
    code = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (code == 0 && directory != NULL)
    code = posix_spawn_file_actions_addchdir_np(&actions, directory);
  if (code == 0) code = posix_spawn(pid, path, &actions, &attributes, argv, environment);

  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

#endif
