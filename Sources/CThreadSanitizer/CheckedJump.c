#include "CThreadSanitizer.h"

// The thread sanitizer keeps a stack of the calls under way, and takes from it what `longjmp` leaves.
// Debian's Lua raises errors by the checked form of that function, which the sanitizer does not know:
// without this definition the calls stay there for ever, each allocation copies them all, and after
// some ten thousand errors a program stands still. In all other builds this file is empty.

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

// The header would make the checked form of the call below, too.
#undef _FORTIFY_SOURCE
#include <setjmp.h>

__attribute__((noreturn)) void __longjmp_chk(jmp_buf place, int value);

__attribute__((noreturn)) void __longjmp_chk(jmp_buf place, int value) { longjmp(place, value); }

#endif
#endif
