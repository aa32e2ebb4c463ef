#include "CSanitizer.h"

#define FOLLOWS_CALLS 0
#define SANITIZED 0
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef FOLLOWS_CALLS
#define FOLLOWS_CALLS 1
#endif
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#undef SANITIZED
#define SANITIZED 1
#endif
#endif

bool isSanitized(void) { return SANITIZED; }

#if FOLLOWS_CALLS
size_t __tsan_testonly_shadow_stack_current_size(void);

size_t followedCalls(void) { return __tsan_testonly_shadow_stack_current_size(); }
#else
size_t followedCalls(void) { return 0; }
#endif
