#include <stdbool.h>

/// Whether the tests run under the thread sanitizer, whose code takes more stack.
bool isSanitized(void);
