#ifndef RACLETTE_CLIBUV_SHIM_H
#define RACLETTE_CLIBUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
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

/// Makes orphaned descendants children of this process. Returns 0 or an errno value.
static inline int clibuv_adopt_orphans(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0 ? 0 : errno;
}

/// A pipe that children do not inherit. Returns 0 or an errno value.
static inline int clibuv_private_pipe(int fds[2]) {
  return pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;
}

#else

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

/// Makes the child start in `path`. Returns 0 or an errno value.
static inline int clibuv_spawn_in_directory(
    posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

#endif
