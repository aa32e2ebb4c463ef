#ifndef RACLETTE_CLIBUV_SHIM_H
#define RACLETTE_CLIBUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

// Wrappers for APIs that Swift cannot call itself: functions with variable arguments, the global
// `environ`, and extensions of the C library that its module does not export.

extern char **environ;

/// Whether any child has ended and was not reaped; leaves it as it is.
static inline bool clibuv_child_has_ended(void) {
  siginfo_t ended;
  ended.si_pid = 0;
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
}

/// The environment that a child inherits.
static inline char **clibuv_environment(void) { return environ; }

#if defined(__linux__)

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

extern int pipe2(int fds[2], int flags);
/// `clone` under the name that the thread sanitizer leaves alone: it takes the other for a fork, which
/// copies the memory with its own state.
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

/// Flags for a child that shares our memory until its program starts; we wait for that.
#define CLIBUV_CLONE_FLAGS (0x100 /* CLONE_VM */ | 0x4000 /* CLONE_VFORK */ | SIGCHLD)

/// Makes descendants that are orphaned from now on children of this process, or no longer. Returns 0
/// or an errno value.
static inline int clibuv_adopt_orphans(int adopts) {
  return prctl(PR_SET_CHILD_SUBREAPER, (long)adopts, 0L, 0L, 0L) == 0 ? 0 : errno;
}

/// Opens an empty file in memory, which programs that are started do not inherit, and to whose end is
/// written. Returns its descriptor, or the negative errno value.
static inline int clibuv_memory_file(void) {
  const long file = syscall(SYS_memfd_create, "raclette", 1UL);
  if (file < 0) return -errno;
  if (fcntl((int)file, F_SETFL, O_APPEND) == 0) return (int)file;
  const int code = -errno;
  close((int)file);
  return code;
}

/// A pipe that children do not inherit. Returns 0 or an errno value.
static inline int clibuv_private_pipe(int fds[2]) {
  return pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;
}

/// Opens a descriptor that is readable whenever somebody has written to a pipe since
/// `clibuv_take_writes`, whatever the pipe contains. Returns it, or the negative errno value.
static inline int clibuv_follow_writes(int pipe) {
  const int writes = epoll_create1(EPOLL_CLOEXEC);
  if (writes < 0) return -errno;
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  if (epoll_ctl(writes, EPOLL_CTL_ADD, pipe, &event) == 0) return writes;
  const int code = -errno;
  close(writes);
  return code;
}

/// Makes the descriptor readable only after the next write.
static inline void clibuv_take_writes(int writes) {
  struct epoll_event event;
  epoll_wait(writes, &event, 1, 0);
}

#else

/// Does nothing: the child cannot do it here. The parent does it as soon as the child exists.
static inline int clibuv_add_terminal(posix_spawn_file_actions_t *actions, int terminal) {
  return 0;
}

/// Makes descendants that are orphaned from now on children of this process, or no longer. Returns 0
/// or an errno value.
static inline int clibuv_adopt_orphans(int adopts) { return ENOSYS; }
static inline int clibuv_memory_file(void) { return -ENOSYS; }
static inline int clibuv_follow_writes(int pipe) { return -ENOSYS; }
static inline void clibuv_take_writes(int writes) {}
/// Not needed here: `posix_spawn` takes all signals.
static inline uint64_t clibuv_ignored_signals(void) { return 0; }

/// A pipe that children do not inherit. Returns 0 or an errno value.
static inline int clibuv_private_pipe(int fds[2]) {
  if (pipe(fds) != 0) return errno;
  fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  fcntl(fds[1], F_SETFD, FD_CLOEXEC);
  return 0;
}

#endif

extern int ptsname_r(int terminal, char *name, size_t size);

/// A pseudo-terminal that children do not inherit: our end, then theirs. Returns 0 or an errno
/// value.
static inline int clibuv_private_terminal(int fds[2]) {
  char name[128];
  const int ours = posix_openpt(O_RDWR | O_NOCTTY);
  if (ours < 0) return errno;
  int theirs = -1;
  if (fcntl(ours, F_SETFD, FD_CLOEXEC) == 0 && grantpt(ours) == 0 && unlockpt(ours) == 0 &&
      ptsname_r(ours, name, sizeof name) == 0)
    theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (theirs < 0) {
    const int code = errno;
    close(ours);
    return code;
  }
  fds[0] = ours;
  fds[1] = theirs;
  return 0;
}

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

/// The kind of group a started program leads: a process group in our session, or its own session.
enum clibuv_leadership {
  clibuv_leads_group = POSIX_SPAWN_SETPGROUP,
  clibuv_leads_session = POSIX_SPAWN_SETSID
};

#if defined(__linux__)

/// The signals that this process ignores, as a mask: a program inherits those as they are, while
/// `execve` sets all that have a handler back to their default action.
static inline uint64_t clibuv_ignored_signals(void) {
  uint64_t ignored = 0;
  for (int signal = 1; signal < _NSIG; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
        action.sa_handler == SIG_IGN)
      ignored |= 1ULL << (signal - 1);
  }
  return ignored;
}

/// The parameters of a child between its start and its program, and the resulting error.
struct clibuv_launch {
  const char *path;
  char *const *argv;
  char *const *environment;
  const char *directory;
  enum clibuv_leadership leads;
  int terminal;
  int streams[3];
  /// The limit of open files; NULL for ours.
  const struct rlimit *files;
  /// Where the child writes the kernel's description of itself before its program; negative: nowhere.
  int record;
  /// The parent that the child must not outlive; 0 if it may.
  pid_t parent;
  /// The signals to set back to their default action, as a mask.
  uint64_t signals;
  int error;
};

/// The child's side, which runs in our memory with a stack of its own. It only makes system calls,
/// because the state of the C library and of a sanitizer in that memory is ours.
__attribute__((disable_sanitizer_instrumentation)) static int clibuv_become_program(void *argument) {
  struct clibuv_launch *launch = (struct clibuv_launch *)argument;
  // At least as large as the kernel's structure on any machine; all zeros mean the default action.
  const unsigned long default_action[8] = {0}, no_signals[2] = {0};
  const size_t set_size = _NSIG / 8;
  for (long signal = 1; signal < _NSIG; signal++)
    if (launch->signals & 1ULL << (signal - 1) && signal != SIGKILL && signal != SIGSTOP)
      syscall(SYS_rt_sigaction, signal, default_action, NULL, set_size);
  long code = launch->leads == clibuv_leads_session ? syscall(SYS_setsid)
                                                    : syscall(SYS_setpgid, 0L, 0L);
  if (code >= 0 && launch->terminal >= 0 && launch->leads == clibuv_leads_session) {
    code = syscall(SYS_ioctl, launch->terminal, (long)TIOCSCTTY, 0L);
  } else if (code >= 0 && launch->terminal >= 0) {
    const pid_t group = (pid_t)syscall(SYS_getpid);
    code = syscall(SYS_ioctl, launch->terminal, (long)TIOCSPGRP, &group);
  }
  for (int stream = 0; stream < 3 && code >= 0; stream++) {
    const int source = launch->streams[stream];
    // A descriptor that is already in place would be closed when the program starts.
    if (source == stream) code = syscall(SYS_fcntl, source, (long)F_SETFD, 0L);
    else if (source >= 0) code = syscall(SYS_dup3, source, stream, 0L);
  }
  if (code >= 0 && launch->directory) code = syscall(SYS_chdir, launch->directory);
  if (code >= 0 && launch->files)
    code = syscall(SYS_prlimit64, 0L, (long)RLIMIT_NOFILE, launch->files, NULL);
  if (code >= 0 && launch->record >= 0) {
    char status[512];
    const long file = syscall(SYS_openat, (long)AT_FDCWD, "/proc/self/stat", (long)O_RDONLY, 0L);
    const long count = file < 0 ? file : syscall(SYS_read, file, status, sizeof status);
    if (file >= 0) syscall(SYS_close, file);
    if (count > 0) syscall(SYS_write, launch->record, status, count);
  }
  if (code >= 0 && launch->parent != 0) {
    code = syscall(SYS_prctl, (long)PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L);
    // The parent may have died before the call.
    if (syscall(SYS_getppid) != launch->parent) syscall(SYS_exit_group, 127L);
  }
  if (code >= 0) {
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, no_signals, NULL, set_size);
    syscall(SYS_execve, launch->path, launch->argv, launch->environment);
  }
  launch->error = errno;
  syscall(SYS_exit_group, 127L);
  return 127;
}

/// What `clone3` takes, in its first version.
struct clibuv_clone_arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};

/// Starts the child as `__clone` does, but with all signal handlers of ours reset by the kernel, which
/// saves a call for each of 62 signals while this thread waits. Returns its process id, or a negative
/// errno value where there is no such call. In assembly, because the child returns from the call on a
/// stack of its own, and because the C library keeps its function for it to itself.
static inline __attribute__((noinline)) long clibuv_clone_without_handlers(
    struct clibuv_launch *launch, char *stack, size_t size) {
  struct clibuv_clone_arguments arguments = {
      .flags = 0x100000000 /* CLONE_CLEAR_SIGHAND */ | (CLIBUV_CLONE_FLAGS & ~SIGCHLD),
      .exit_signal = SIGCHLD, .stack = (uint64_t)(uintptr_t)stack, .stack_size = size};
#if defined(__x86_64__)
  long result;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "movq %[launch], %%rdi\n\t"
      "call *%[child]\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "a"(435L), "D"(&arguments), "S"(sizeof arguments), [launch] "r"(launch),
        [child] "r"(clibuv_become_program)
      : "rcx", "r11", "cc", "memory");
  return result;
#elif defined(__aarch64__)
  register long number __asm__("x8") = 435;
  register long result __asm__("x0") = (long)(uintptr_t)&arguments;
  register long length __asm__("x1") = sizeof arguments;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x0, %[launch]\n\t"
      "blr %[child]\n\t"
      "brk #1\n"
      "1:"
      : "+r"(result)
      : "r"(number), "r"(length), [launch] "r"(launch), [child] "r"(clibuv_become_program)
      : "x30", "cc", "memory");
  return result;
#else
  (void)launch;
  return -ENOSYS;
#endif
}

/// Starts the child, by the quicker way where the system has it.
static inline int clibuv_start_child(struct clibuv_launch *launch, char *stack, size_t size) {
  // Older kernels lack it, and so do some containers and valgrind.
  static int lacks_clone;
  if (!__atomic_load_n(&lacks_clone, __ATOMIC_RELAXED)) {
    const long child = clibuv_clone_without_handlers(launch, stack, size);
    if (child > 0) return (int)child;
    if (child != -ENOSYS && child != -EINVAL && child != -EPERM) {
      errno = (int)-child;
      return -1;
    }
    __atomic_store_n(&lacks_clone, 1, __ATOMIC_RELAXED);
  }
  launch->signals = ~0ULL;
  return __clone(clibuv_become_program, stack + size, CLIBUV_CLONE_FLAGS, launch);
}

/// Starts a program in `directory` (NULL: ours), with these standard streams (negative: ours), as
/// the leader of a process group or session of its own, with default signal actions and an empty
/// mask; `ignored` are the signals that we ignore. Its group owns `terminal`, unless that is negative;
/// if it leads a session, that is its controlling terminal. `files` is its limit of open files; NULL: ours. To `record`, unless that is
/// negative, it writes its line of /proc/self/stat before the program begins, so that whoever reads
/// that knows of it however we end. Returns 0 or an errno value.
///
/// This works like `posix_spawn`, which does not support the parent-death signal: the kernel kills
/// the program whenever and however this process ends. A program that leads a session without a
/// terminal is exempt, because it is meant to outlive us. The signal is sent when the thread that started the program
/// ends, so only the main thread requests it, because that lives as long as the process.
static inline __attribute__((noinline)) int clibuv_spawn_leader(
    pid_t *pid, const char *path, char *const argv[], char *const environment[],
    const char *directory, enum clibuv_leadership leads, int terminal, int input, int output,
    int errors, const struct rlimit *files, int record, uint64_t ignored) {
  char stack[16384] __attribute__((aligned(16)));
  const pid_t own = getpid();
  const int may_outlive =
      (leads == clibuv_leads_session && terminal < 0) || syscall(SYS_gettid) != own;
  struct clibuv_launch launch = {
      .path = path, .argv = argv, .environment = environment, .directory = directory,
      .leads = leads, .terminal = terminal, .streams = {input, output, errors},
      .files = files, .record = record, .parent = may_outlive ? 0 : own, .signals = ignored,
      .error = 0};
  // None of our signal handlers may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int child = clibuv_start_child(&launch, stack, sizeof stack);
  const int code = child < 0 ? errno : launch.error;
  if (child >= 0 && code != 0)
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code == 0) *pid = child;
  return code;
}

#else

/// Starts a program in `directory` (NULL: ours), with these standard streams (negative: ours), as
/// the leader of a process group or session of its own, with default signal actions and an empty
/// mask. Its group owns `terminal`, unless that is negative. Returns 0 or an errno value. Written
/// in C because the types differ between systems.
static inline int clibuv_spawn_leader(
    pid_t *pid, const char *path, char *const argv[], char *const environment[],
    const char *directory, enum clibuv_leadership leads, int terminal, int input, int output,
    int errors, const struct rlimit *files, int record, uint64_t ignored) {
  (void)files;
  (void)record;
  (void)ignored;
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

#endif
