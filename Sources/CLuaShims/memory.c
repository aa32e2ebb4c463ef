// What the library keeps for scripts lies outside Lua: signals, timers, commands, the values that wait
// in them. It is bounded by what the whole process grows to. The tick sees how much memory the system
// has given; when that is more than the limit, what is in use is counted where nothing else is at work.

#include "host.h"

#include <fcntl.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>

static size_t in_use(void) {
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
}
#else
static size_t in_use(void) { return 0; }
#endif

// Bytes in memory; async-signal-safe. 0 where the system does not tell.
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

// How much the process may grow before what is in use is counted again.
enum { STEP = 8 << 20 };

void rac_lua_set_process_limit(rac_lua *host, size_t limit) {
  host->process_limit = limit;
  host->process_base = in_use();
  host->alarm = resident() + limit;
  if (limit) rac_lua_keep_watching(host);
}

bool rac_lua_seems_crowded(rac_lua *host) {
  if (host->process_limit && !host->seems_crowded) {
    host->seems_crowded = resident() > host->alarm;
  }
  return host->seems_crowded;
}

void rac_lua_count_memory(rac_lua *host) {
  if (!host->seems_crowded) return;
  host->seems_crowded = false;
  // Lua's own share is within the limit, but takes more than it asks for: blocks have heads.
  if (in_use() > host->process_base + host->process_limit + host->process_limit / 2) {
    if (!host->interrupted) host->interrupted = RAC_LUA_CROWDED;
  } else {
    host->alarm = resident() + STEP;
  }
}
