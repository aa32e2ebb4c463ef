#include "CCurl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

// The part of the library's interface that is used here. Its numbers are those of curl/curl.h, which
// the library keeps for ever; its name changes with it.
enum {
  option_write_data = 10001,
  option_url = 10002,
  option_error_buffer = 10010,
  option_post_fields = 10015,
  option_headers = 10023,
  option_post = 47,
  option_no_signal = 99,
  option_timeout_ms = 155,
  option_protocols = 181,
  option_write_function = 20011,
  option_post_field_size = 30120,
};
enum { protocols_http = 3, info_response_code = 0x200002, global_all = 3 };

static struct {
  int (*global_init)(long);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *, int, ...);
  int (*easy_perform)(void *);
  int (*easy_getinfo)(void *, int, ...);
  const char *(*easy_strerror)(int);
  void (*easy_cleanup)(void *);
  void *(*slist_append)(void *, const char *);
  void (*slist_free_all)(void *);
} library;

#ifdef __APPLE__
static const char *const library_names[] = {"libcurl.4.dylib"};
#else
// Debian's two builds differ in their library for TLS.
static const char *const library_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

const char *ccurl_load(void) {
  static bool is_loaded = false;
  if (is_loaded) return NULL;
  void *handle = NULL;
  for (size_t i = 0; !handle && i < sizeof library_names / sizeof *library_names; i++) {
    handle = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (!handle) return dlerror();
#define LOAD(name) \
  if (!(*(void **)&library.name = dlsym(handle, "curl_" #name))) return dlerror()
  LOAD(global_init);
  LOAD(easy_init);
  LOAD(easy_setopt);
  LOAD(easy_perform);
  LOAD(easy_getinfo);
  LOAD(easy_strerror);
  LOAD(easy_cleanup);
  LOAD(slist_append);
  LOAD(slist_free_all);
#undef LOAD
  if (library.global_init(global_all) != 0) return "libcurl cannot be initialised";
  is_loaded = true;
  return NULL;
}

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  ccurl_response *response = context;
  size_t length = size * count;
  size_t room = sizeof response->body - response->body_length;
  size_t kept = length < room ? length : room;
  memcpy(response->body + response->body_length, bytes, kept);
  response->body_length += kept;
  return length;
}

ccurl_response ccurl_post(
  const char *url, const char *const *headers, size_t header_count, const void *body,
  size_t body_length, long milliseconds) {
  ccurl_response response = {0};
  char detail[256] = "";
  void *list = NULL;
  void *request = library.easy_init();
  if (!request) {
    strcpy(response.problem, "libcurl has no memory");
    return response;
  }
  for (size_t i = 0; i < header_count; i++) list = library.slist_append(list, headers[i]);
  library.easy_setopt(request, option_url, url);
  library.easy_setopt(request, option_protocols, (long)protocols_http);
  library.easy_setopt(request, option_no_signal, 1L);
  library.easy_setopt(request, option_timeout_ms, milliseconds);
  library.easy_setopt(request, option_post, 1L);
  library.easy_setopt(request, option_post_fields, body);
  library.easy_setopt(request, option_post_field_size, (long long)body_length);
  library.easy_setopt(request, option_headers, list);
  library.easy_setopt(request, option_error_buffer, detail);
  library.easy_setopt(request, option_write_function, keep);
  library.easy_setopt(request, option_write_data, &response);
  int code = library.easy_perform(request);
  if (code != 0) {
    const char *problem = detail[0] ? detail : library.easy_strerror(code);
    strncpy(response.problem, problem, sizeof response.problem - 1);
  } else {
    library.easy_getinfo(request, info_response_code, &response.status);
  }
  library.easy_cleanup(request);
  library.slist_free_all(list);
  return response;
}
