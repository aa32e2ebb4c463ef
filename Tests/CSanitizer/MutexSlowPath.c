#include "CSanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED 1
#endif
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif
#ifndef ADDRESS_SANITIZED
#define ADDRESS_SANITIZED 0
#endif

// The thread sanitizer follows what is compiled with it. Of the standard library's `Mutex` that is the
// uncontended path, which is inlined; a contended one is handed over by the kernel, called from an
// uninstrumented library, and the sanitizer reports races between its owners. In an instrumented build
// this definition takes the place of the library's contended path: it waits in user space, with
// atomic operations that the sanitizer sees. Nothing then ever waits in the kernel, so that unlocking
// has no contended path of its own.
#if defined(__linux__) && THREAD_SANITIZED

#include <sched.h>
#include <stdint.h>

__attribute__((swiftcall)) void
mutexLockSlowly(uint32_t owner, __attribute__((swift_context)) uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void
mutexLockSlowly(uint32_t owner, __attribute__((swift_context)) uint32_t *word) {
  uint32_t expected = 0;
  while (!__atomic_compare_exchange_n(
      word, &expected, owner, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    if (expected == owner) __builtin_trap();
    expected = 0;
    sched_yield();
  }
}

#endif

bool isSanitized(void) { return THREAD_SANITIZED || ADDRESS_SANITIZED; }
