// The end of the calling thread's stack; it limits depth that Lua cannot count.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CLuaShims.h"

#include <pthread.h>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

// The first thread's stack may grow to its limit. The C library would read all of /proc/self/maps
// to find the same address.
static uintptr_t end_of_first_stack(void) {
  struct rlimit limit;
  uintptr_t here = rac_lua_stack_here();
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= here) return 0;
  return here - limit.rlim_cur;
}
#endif

uintptr_t rac_lua_stack_end(void) {
#ifdef __linux__
  uintptr_t first = gettid() == getpid() ? end_of_first_stack() : 0;
  if (first) return first;
  pthread_attr_t attributes;
  void *lowest = NULL;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)lowest;
#else
  return (uintptr_t)pthread_get_stackaddr_np(pthread_self())
    - pthread_get_stacksize_np(pthread_self());
#endif
}
