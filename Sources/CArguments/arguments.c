// The arguments of the program for Swift's `CommandLine`.
//
// On Linux, Swift's own code looks for them before `main`: it reads /proc/self/maps to learn where the
// stack is. That is a tenth of what a start executes, and the C library passes the arguments to
// constructors anyway. Where Swift's library is linked statically, the linker finds these functions
// first and leaves that code in the archive; elsewhere the library uses its own.

#include "CArguments.h"

#if defined(__linux__)
#include <features.h>
#endif

// Other C libraries pass nothing to constructors.
#if defined(__GLIBC__)

static char **values;
static int count;

__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  values = argv;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *length);
char **_swift_stdlib_getUnsafeArgvArgc(int *length) {
  *length = count;
  return values;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc);
void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc) {
  count = argc;
  values = argv;
}

#endif
