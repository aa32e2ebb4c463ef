// Time: a tick, sent to an interpreter's thread as a signal, looks at what runs there. Nothing is
// measured while code runs; a standing hook would cost more than the code.

#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

// Ignored by default, so that a late one harms nobody, and used for nothing else by programs without
// urgent data on sockets.
enum { TICK = SIGURG };

// How long code inside C may take to come back to Lua once its time is over, in nanoseconds.
static const uint64_t patience = 2000000000;

static void (*volatile give_up)(void);

uint64_t rac_lua_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void rac_lua_set_deadline(rac_lua *host, uint64_t moment) { host->deadline = moment; }

void rac_lua_set_time_limit(rac_lua *host, uint64_t nanoseconds) {
  host->time_limit = nanoseconds;
}

void rac_lua_on_stuck(void (*handler)(void)) { give_up = handler; }

static void look_at(rac_lua *host, uint64_t now) {
  if (host->entries != host->seen_entry) {
    host->seen_entry = host->entries;
    host->seen_since = now;
    host->stopped_at = 0;
  }
  if (host->stopped_at) {
    if (host->time_limit && give_up && now - host->stopped_at > patience) give_up();
  } else if (host->interrupted) {
    return;
  } else if (host->deadline && now >= host->deadline) {
    host->stopped_at = now;
    rac_lua_stop(host, RAC_LUA_DEADLINE);
  } else if (host->time_limit && now - host->seen_since >= host->time_limit) {
    host->stopped_at = now;
    rac_lua_stop(host, RAC_LUA_TIME_LIMIT);
  }
}

static void on_tick(int signal) {
  (void)signal;
  int saved_errno = errno;
  uint64_t now = rac_lua_now();
  for (rac_lua_frame *frame = rac_lua_innermost; frame; frame = frame->outer) {
    look_at(frame->host, now);
  }
  errno = saved_errno;
}

int rac_lua_prepare_ticks(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  if (sigaction(TICK, &action, NULL) != 0) return errno;
  sigset_t tick;
  sigemptyset(&tick);
  sigaddset(&tick, TICK);
  return pthread_sigmask(SIG_UNBLOCK, &tick, NULL);
}

void rac_lua_tick(uintptr_t thread) { pthread_kill((pthread_t)thread, TICK); }
