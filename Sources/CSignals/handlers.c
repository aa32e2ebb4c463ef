#include "CSignals.h"
#include "effects.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct {
  volatile sig_atomic_t effects;
  // Who has sent one that was passed on to the owner.
  volatile pid_t sender;
  struct sigaction former;
} entries[NSIG];

static pthread_t owner;
static bool (*volatile function)(int signal);

void csignals_on_call(bool (*called)(int signal)) { function = called; }

static void pass_on(int signal, siginfo_t *info, void *context, bool is_taken) {
  const struct sigaction *former = &entries[signal].former;
  if (former->sa_flags & SA_SIGINFO) {
    former->sa_sigaction(signal, info, context);
  } else if (former->sa_handler == SIG_DFL) {
    if (is_taken) return;
    // Blocked until this handler returns; then the default action is taken.
    sigaction(signal, former, NULL);
    raise(signal);
  } else if (former->sa_handler != SIG_IGN) {
    former->sa_handler(signal);
  }
}

static void carry_out(int signal, siginfo_t *info, void *context) {
  const int effects = entries[signal].effects;
  const pid_t sender = info->si_pid == getpid() ? entries[signal].sender : info->si_pid;
  if ((effects & CSIGNALS_ENDS) && !csignals_end_arrived(signal, sender)) return;
  if (effects & CSIGNALS_KEYBOARD) csignals_keyboard_arrived();
  const bool is_taken = (effects & CSIGNALS_CALLS) && function && function(signal);
  pass_on(signal, info, context, is_taken);
}

static void on_signal(int signal, siginfo_t *info, void *context) {
  const int saved_errno = errno;
  if (pthread_equal(pthread_self(), owner)) {
    carry_out(signal, info, context);
  } else {
    // Everything happens there, and once.
    entries[signal].sender = info->si_pid;
    pthread_kill(owner, signal);
  }
  errno = saved_errno;
}

int csignals_add(int signal, enum csignals_effect effect) {
  if (signal <= 0 || signal >= NSIG) return EINVAL;
  struct sigaction current;
  if (sigaction(signal, NULL, &current) != 0) return errno;
  owner = pthread_self();
  struct sigaction own;
  if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_signal) {
    entries[signal].effects |= effect;
    own = current;
  } else {
    entries[signal].former = current;
    entries[signal].effects = effect;
    memset(&own, 0, sizeof own);
    own.sa_sigaction = on_signal;
    own.sa_mask = current.sa_mask;
    own.sa_flags = SA_SIGINFO | (current.sa_flags & (SA_RESTART | SA_ONSTACK));
  }
  // The key must also interrupt a script that waits for input inside C.
  if (effect == CSIGNALS_KEYBOARD) own.sa_flags &= ~SA_RESTART;
  return sigaction(signal, &own, NULL) == 0 ? 0 : errno;
}

void csignals_outlive_handlers(void) {
  for (int signal = 1; signal < NSIG; signal++) {
    if (!(entries[signal].effects & CSIGNALS_ENDS)) continue;
    entries[signal].effects = CSIGNALS_ENDS;
    memset(&entries[signal].former, 0, sizeof entries[signal].former);
    entries[signal].former.sa_handler = SIG_IGN;
    struct sigaction own;
    memset(&own, 0, sizeof own);
    own.sa_sigaction = on_signal;
    own.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&own.sa_mask);
    sigaction(signal, &own, NULL);
  }
}
