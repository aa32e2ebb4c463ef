// The library keeps data for scripts outside Lua: signals, timers, commands, and the values that
// wait in them. This is bounded by the growth of the whole process. The tick checks how much memory
// the system has given; if that exceeds the limit, the memory in use is counted at a point where no
// other code is at work.
//
// A block cannot be attributed to one of several interpreters. So they share the growth that the
// process is allowed, and each adds its own limit while it is open; one that stays within its own
// limit is not stopped for what the others hold within theirs.

#include "host.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>

// Where another allocator is in its place (a sanitizer's, a preloaded one), glibc's own is prepared
// by the first call of mallinfo2(), and a second thread that calls it meanwhile crashes in it.
static void prepare_allocator(void) { (void)mallinfo2(); }

size_t rac_lua_in_use(void) {
  static pthread_once_t prepared = PTHREAD_ONCE_INIT;
  pthread_once(&prepared, prepare_allocator);
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
}
#else
size_t rac_lua_in_use(void) { return 0; }
#endif

// Returns the bytes in memory; async-signal-safe. 0 if the system does not report them.
static size_t resident(void) {
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64];
  ssize_t length = read(file, text, sizeof text);
  close(file);
  ssize_t i = 0;
  while (i < length && text[i] != ' ') i++;
  size_t pages = 0;
  for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
    pages = pages * 10 + (size_t)(text[i] - '0');
  }
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// The growth of the process after which the memory in use is counted again.
enum { STEP = 8 << 20 };

// The state shared by the open interpreters with a limit. Not for signal handlers.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t base;    // the memory in use before their scripts ran
static size_t limits;  // their sum
static int sharers;

static void leave(rac_lua *host) {
  if (!host->process_limit) return;
  sharers--;
  limits -= host->process_limit;
  base -= host->process_share;
}

// Memory that an interpreter took while it was opened is not charged to scripts.
static void join(rac_lua *host, size_t limit) {
  if (!limit) return;
  size_t now = rac_lua_in_use();
  host->process_share = now > host->use_at_opening ? now - host->use_at_opening : 0;
  base = sharers++ == 0 ? now : base + host->process_share;
  limits += limit;
}

void rac_lua_set_process_limit(rac_lua *host, size_t limit) {
  pthread_mutex_lock(&lock);
  leave(host);
  join(host, limit);
  pthread_mutex_unlock(&lock);
  host->process_limit = limit;
  if (!limit) return;
  host->next_count = resident() + limit;
  rac_lua_keep_watching(host);
}

// Returns true if more is in use than the limits allow. Lua's own share is within them, but takes
// more than it asks for: blocks have headers.
static bool is_over_limits(void) {
  pthread_mutex_lock(&lock);
  size_t most = base + limits + limits / 2;
  pthread_mutex_unlock(&lock);
  return rac_lua_in_use() > most;
}

bool rac_lua_seems_crowded(rac_lua *host) {
  if (host->process_limit && !host->seems_crowded) {
    host->seems_crowded = resident() > host->next_count;
  }
  return host->seems_crowded;
}

void rac_lua_count_memory(rac_lua *host) {
  if (!host->seems_crowded) return;
  host->seems_crowded = false;
  if (is_over_limits()) {
    if (!host->interrupted) host->interrupted = RAC_LUA_CROWDED;
  } else {
    host->next_count = resident() + STEP;
  }
}
