// OS signals that interrupt the running Lua code on the interpreter's thread.

#include "host.h"

#include <CSignals.h>
#include <stdatomic.h>

static uint64_t bit(int signal) {
  return signal > 0 && signal <= 64 ? (uint64_t)1 << (signal - 1) : 0;
}

// The interpreters whose next call is stopped by a signal that arrives while they run no code.
static rac_lua *volatile first_awaiting;

void rac_lua_await_interrupt(rac_lua *host, int signal) {
  bool is_listed = host->awaited;
  host->awaited |= bit(signal);
  if (is_listed || !host->awaited) return;
  host->next_awaiting = first_awaiting;
  atomic_signal_fence(memory_order_release);
  first_awaiting = host;
}

void rac_lua_end_by(rac_lua *host, int signal, uint64_t clean_up_time) {
  host->clean_up_time = clean_up_time;
  host->ending |= bit(signal);
  rac_lua_await_interrupt(host, signal);
}

void rac_lua_ignore_interrupt(rac_lua *host, int signal) {
  host->ending &= ~bit(signal);
  if (host->awaited == bit(signal)) {
    rac_lua_ignore_interrupts(host);
  } else {
    host->awaited &= ~bit(signal);
  }
}

void rac_lua_ignore_interrupts(rac_lua *host) {
  if (!host->awaited) return;
  rac_lua *volatile *place = &first_awaiting;
  while (*place != host) place = &(*place)->next_awaiting;
  *place = host->next_awaiting;
  atomic_signal_fence(memory_order_release);
  host->awaited = host->ending = 0;
}

static bool interrupt_all(int signal) {
  bool running = false;
  for (rac_lua_frame *frame = rac_lua_innermost; frame; frame = frame->outer) {
    rac_lua_interrupt(frame->host, false);
    running = true;
  }
  for (rac_lua *host = first_awaiting; host; host = host->next_awaiting) {
    if (!(host->awaited & bit(signal))) continue;
    if (!host->running) rac_lua_interrupt(host, true);
    // Done here already: code that runs before the host is notified must not run for ever either.
    if (host->ending & bit(signal)) rac_lua_end_within(host, host->clean_up_time);
  }
  return running;
}

int rac_lua_interrupt_on_signal(int signal) {
  csignals_on_call(interrupt_all);
  return csignals_add(signal, CSIGNALS_CALLS);
}
