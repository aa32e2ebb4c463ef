#include <stdbool.h>
#include <stddef.h>

/// Whether the tests run under the thread sanitizer, whose code takes more stack.
bool isSanitized(void);

/// The number of calls that the thread sanitizer takes to be under way on this thread; 0 without it.
size_t followedCalls(void);
