#include "CThreadSanitizer.h"

// The thread sanitizer follows what is compiled with it. Of the standard library's `Mutex` that is the
// uncontended path, which is inlined; a contended one is handed over by the kernel, called from an
// uninstrumented library, and the sanitizer reports races between its owners. In an instrumented build
// this definition takes the place of the library's contended path: it waits in user space, with
// atomic operations that the sanitizer sees. Nothing then ever waits in the kernel, so that unlocking
// has no contended path of its own.
//
// It belongs to the library and not to its tests, so that every program that uses the library and is
// built with the sanitizer has it. In all other builds this file is empty. Weak, because a program
// that links the standard library statically may find both definitions.

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdint.h>

__attribute__((swiftcall, weak)) void
mutexLockSlowly(uint32_t owner, __attribute__((swift_context)) uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall, weak)) void
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
#endif
