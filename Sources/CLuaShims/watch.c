// Time limits: a tick, a signal that a system timer sends to an interpreter's thread, checks the
// code that runs there. Nothing is measured while code runs; a permanent hook would cost more than
// the code.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <unistd.h>
#else
#include <dispatch/dispatch.h>
#endif

// Ignored by default, so that a late one does no harm, and not used otherwise by programs without
// urgent data on sockets.
enum { TICK = SIGURG };

// Tick intervals in nanoseconds: while there is something to check, and while something is to be
// stopped that may begin again.
static const uint64_t interval = 50000000, short_interval = 5000000;

// The time that code inside C has to return to Lua, in nanoseconds: once the time limit is reached
// or everything is to end, and once the deadline of one execution is over, beside which others may
// run.
static const uint64_t return_time = 2000000000, late_return_time = 10000000000;

static void (*volatile give_up)(void);

uint64_t rac_lua_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void rac_lua_on_stuck(void (*handler)(void)) { give_up = handler; }

// --- The timer ---

#ifdef __linux__
static bool make_timer(rac_lua *host) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = TICK;
  event.sigev_value.sival_ptr = host;
#ifdef sigev_notify_thread_id
  event.sigev_notify_thread_id = gettid();
#else
  event._sigev_un._tid = gettid();
#endif
  return timer_create(CLOCK_MONOTONIC, &event, &host->timer) == 0;
}

// Async-signal-safe. A delay of 0 stops it.
static void set_timer(rac_lua *host, uint64_t delay, uint64_t period) {
  struct itimerspec times = {
    .it_value = {(time_t)(delay / 1000000000), (long)(delay % 1000000000)},
    .it_interval = {(time_t)(period / 1000000000), (long)(period % 1000000000)},
  };
  timer_settime(host->timer, 0, &times, NULL);
}

// No signal of the timer may arrive later, because it names the interpreter.
static void delete_timer(rac_lua *host) {
  sigset_t tick, before;
  sigemptyset(&tick);
  sigaddset(&tick, TICK);
  pthread_sigmask(SIG_BLOCK, &tick, &before);
  timer_delete(host->timer);
  static const struct timespec none;
  while (sigtimedwait(&tick, NULL, &none) == TICK) continue;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Returns the interpreter whose timer has sent a tick.
static rac_lua *sender(siginfo_t *info) {
  return info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
}
#else
static void send_tick(void *thread) { pthread_kill((pthread_t)thread, TICK); }

static bool make_timer(rac_lua *host) {
  dispatch_source_t timer = dispatch_source_create(
    DISPATCH_SOURCE_TYPE_TIMER, 0, 0, dispatch_get_global_queue(QOS_CLASS_USER_INITIATED, 0));
  if (!timer) return false;
  dispatch_set_context(timer, pthread_self());
  dispatch_source_set_event_handler_f(timer, send_tick);
  dispatch_source_set_timer(timer, DISPATCH_TIME_FOREVER, interval, 0);
  dispatch_resume(timer);
  host->timer = timer;
  return true;
}

static void set_timer(rac_lua *host, uint64_t delay, uint64_t period) {
  dispatch_time_t start =
    delay ? dispatch_time(DISPATCH_TIME_NOW, (int64_t)delay) : DISPATCH_TIME_FOREVER;
  dispatch_source_set_timer(host->timer, start, delay ? period : interval, 0);
}

static void delete_timer(rac_lua *host) { dispatch_source_cancel(host->timer); }

static rac_lua *sender(siginfo_t *info) {
  (void)info;
  return NULL;
}
#endif

// --- Ticks ---

// Starts ticks at a time; a timer that already fires continues until there is nothing to check.
static void start_ticks(rac_lua *host, uint64_t moment, uint64_t period) {
  if (!host->has_timer || (host->ticks_from && host->ticks_from <= moment)) return;
  // A signal that arrives in between may request earlier ticks.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  if (!host->ticks_from || host->ticks_from > moment) {
    host->ticks_from = moment;
    uint64_t now = rac_lua_now();
    set_timer(host, moment > now ? moment - now : 1, period);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rac_lua_keep_ticking(rac_lua *host) { start_ticks(host, 1, short_interval); }

void rac_lua_set_deadline(rac_lua *host, uint64_t moment) {
  host->deadline = moment;
  if (moment) start_ticks(host, moment > 2 ? moment : 2, interval);
}

void rac_lua_set_time_limit(rac_lua *host, uint64_t nanoseconds) {
  host->time_limit = nanoseconds;
  if (nanoseconds) start_ticks(host, 2, interval);
}

void rac_lua_keep_watching(rac_lua *host) { start_ticks(host, 2, interval); }

void rac_lua_end_within(rac_lua *host, uint64_t nanoseconds) {
  uint64_t end = rac_lua_now() + nanoseconds;
  // The first call applies, unless a later one is stricter.
  if (host->end == RAC_LUA_LIVES || end < host->end) host->end = end;
  start_ticks(host, host->end, interval);
}

static bool is_over(const rac_lua *host, uint64_t now) {
  return host->end != RAC_LUA_LIVES && now >= host->end;
}

// Returns true if the running code was stopped and is still inside the same C call.
static bool is_stuck(const rac_lua *host, uint64_t now) {
  if (!host->stopped_at) return false;
  const uint64_t since = now - host->stopped_at;
  if (is_over(host, now)) return since > return_time;
  if (host->interrupted == RAC_LUA_DEADLINE && since > late_return_time) return true;
  // Clean-up code may spend time in C.
  return since > return_time && host->time_limit && now - host->seen_since > host->time_limit;
}

static void look_at(rac_lua *host, uint64_t now) {
  if (host->entries != host->seen_entry) {
    host->seen_entry = host->entries;
    host->seen_since = now;
    host->stopped_at = 0;
  }
  if (rac_lua_seems_crowded(host)) rac_lua_keep_stopping(host);
  if (is_over(host, now)) {
    bool is_news = host->end != RAC_LUA_OVER;
    host->end = RAC_LUA_OVER;
    if (is_news || !host->interrupted) {
      host->stopped_at = now;
      rac_lua_stop(host, RAC_LUA_ENDED);
    }
  }
  if (host->interrupted) {
    rac_lua_keep_stopping(host);
    if (is_stuck(host, now) && give_up) give_up();
  } else if (host->deadline && now >= host->deadline) {
    host->stopped_at = now;
    rac_lua_stop(host, RAC_LUA_DEADLINE);
  } else if (host->time_limit && now - host->seen_since >= host->time_limit) {
    host->stopped_at = now;
    rac_lua_stop(host, RAC_LUA_TIME_LIMIT);
  }
}

// Slows the ticks down to what the other checks need, once nothing is to be stopped any more.
static void settle(rac_lua *host) {
  if (!host->has_timer || (host->interrupted && host->running)) return;
  // Memory that an interpreter takes while it runs is not charged to another.
  if (!rac_lua_innermost) rac_lua_seems_crowded(host);
  if (host->deadline || host->time_limit || host->process_limit || host->end) {
    if (host->ticks_from == 1) set_timer(host, interval, interval);
    host->ticks_from = 2;
  } else if (host->ticks_from) {
    host->ticks_from = 0;
    set_timer(host, 0, 0);
  }
}

static void on_tick(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  int saved_errno = errno;
  uint64_t now = rac_lua_now();
  for (rac_lua_frame *frame = rac_lua_innermost; frame; frame = frame->outer) {
    look_at(frame->host, now);
  }
  rac_lua *host = sender(info);
  if (host && !host->running && is_over(host, now)) {
    host->end = RAC_LUA_OVER;
    host->interrupted = RAC_LUA_INTERRUPTED;
  }
  if (host) settle(host);
  errno = saved_errno;
}

void rac_lua_open_ticker(rac_lua *host) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  // A request by a nested tick must not be overlooked.
  sigfillset(&action.sa_mask);
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigset_t tick;
  sigemptyset(&tick);
  sigaddset(&tick, TICK);
  host->thread = pthread_self();
  host->has_timer = sigaction(TICK, &action, NULL) == 0
    && pthread_sigmask(SIG_UNBLOCK, &tick, NULL) == 0 && make_timer(host);
}

bool rac_lua_has_timer(rac_lua *host) { return host->has_timer; }

void rac_lua_close_ticker(rac_lua *host) {
  if (!host->has_timer) return;
  host->has_timer = false;
  delete_timer(host);
}
