// Lua's warnings: the texts of `warn`, printed as Lua's own program does, and failed finalisers.

#include "host.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

// The most finalisers that may be interrupted in a row while an interpreter closes.
enum { LOST_FINALISERS = 20 };

// For Lua, an interrupted finaliser has failed, and the next one would be called. So the interrupt
// is raised past the collector, in the code that was running. It is not raised past host code,
// inside which the collector works if it cannot be held; there it is raised once Lua code resumes.
static void stop_collection(rac_lua *host) {
  if (!host->closing) {
    if (!host->enforced) return;
    lua_State *L = rac_lua_current(host);
    if (lua_checkstack(L, LUA_MINSTACK)) rac_lua_raise_interrupt(L);
  } else if (host->escape && ++host->lost_finalisers > LOST_FINALISERS) {
    longjmp(*host->escape, 1);
  }
}

static void put(rac_lua *host, const char *text) {
  fputs(text, host->errors ? host->errors : stderr);
}

static void warn(void *context, const char *message, int to_be_continued) {
  rac_lua *host = context;
  bool is_whole = !host->warns_on && !to_be_continued;
  if (host->interrupted) stop_collection(host);
  if (is_whole && *message == '@') {
    if (strcmp(message, "@on") == 0) host->warns = true;
    if (strcmp(message, "@off") == 0) host->warns = false;
    return;
  }
  if (host->warns) {
    if (!host->warns_on) put(host, "Lua warning: ");
    put(host, message);
    if (!to_be_continued) put(host, "\n");
  }
  host->warns_on = to_be_continued;
}

void rac_lua_open_warnings(rac_lua *host) { lua_setwarnf(host->main, warn, host); }
