// libcurl, loaded when something is sent, so that programs that send nothing do not pay for it.
#pragma once

#include <stddef.h>

/// The response to a request.
typedef struct {
  /// The status of HTTP; 0 if there was no response.
  long status;
  /// Why there was none, or an empty text.
  char problem[256];
  /// The beginning of the body.
  char body[4096];
  size_t body_length;
} ccurl_response;

/// Loads the library. Returns null, or why that is not possible. On one thread at a time.
const char *ccurl_load(void);

/// Posts a body, and returns when the response has come or the time is over. The library has been
/// loaded. May be called on any thread.
///
/// `headers` are lines without an end, `header_count` of them.
ccurl_response ccurl_post(
  const char *url, const char *const *headers, size_t header_count, const void *body,
  size_t body_length, long milliseconds);
