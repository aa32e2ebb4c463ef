// Signals of the OS that interrupt whatever Lua code runs on the interpreter's thread.

#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static struct sigaction previous[NSIG];
static pthread_t interpreter_thread;
// Whose next call is stopped by a signal that comes while none runs.
static rac_lua *volatile awaiting;

void rac_lua_await_interrupt(rac_lua *host) { awaiting = host; }

void rac_lua_forget_interrupt(rac_lua *host) {
  if (awaiting == host) awaiting = NULL;
}

static void on_signal(int signal, siginfo_t *info, void *context) {
  int saved_errno = errno;
  if (!pthread_equal(pthread_self(), interpreter_thread)) {
    // The whole chain runs there, so that the earlier handler runs once.
    pthread_kill(interpreter_thread, signal);
    errno = saved_errno;
    return;
  }
  bool running = false;
  for (rac_lua_frame *frame = rac_lua_innermost; frame; frame = frame->outer) {
    rac_lua_interrupt(frame->host, false);
    running = true;
  }
  rac_lua *next = awaiting;
  if (!running && next) rac_lua_interrupt(next, true);
  const struct sigaction *before = &previous[signal];
  if (before->sa_flags & SA_SIGINFO) {
    before->sa_sigaction(signal, info, context);
  } else if (before->sa_handler == SIG_DFL) {
    if (!running) {
      // Blocked until this handler returns; then the default action is taken.
      sigaction(signal, before, NULL);
      raise(signal);
    }
  } else if (before->sa_handler != SIG_IGN) {
    before->sa_handler(signal);
  }
  errno = saved_errno;
}

int rac_lua_interrupt_on_signal(int signal) {
  if (signal <= 0 || signal >= NSIG) return EINVAL;
  struct sigaction current;
  if (sigaction(signal, NULL, &current) != 0) return errno;
  interpreter_thread = pthread_self();
  if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_signal) return 0;
  previous[signal] = current;
  struct sigaction chained;
  memset(&chained, 0, sizeof chained);
  chained.sa_sigaction = on_signal;
  chained.sa_mask = current.sa_mask;
  chained.sa_flags = SA_SIGINFO | (current.sa_flags & (SA_RESTART | SA_ONSTACK));
  return sigaction(signal, &chained, NULL) == 0 ? 0 : errno;
}
