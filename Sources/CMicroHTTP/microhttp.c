#include "CMicroHTTP.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The part of the library's interface that is used here; it has been the same since 0.9.64, and the
// library's name changes with it.
struct MHD_Daemon;

enum { option_end = 0, option_memory = 1, option_connections = 2, option_timeout = 3 };
enum { option_completed = 4, option_listen_socket = 12, option_unescape = 16 };
enum { option_notify_connection = 27, option_strict = 29, option_handles_sigpipe = 33 };
enum { flag_epoll = 512, flag_itc = 1024, flag_suspend = 8192 };
enum { kind_header = 1, kind_argument = 8 };
enum { daemon_descriptor = 3, connection_descriptor = 6 };
enum { memory_persistent = 0, memory_copied = 2 };

typedef int (*access_handler)(
  void *, cmicrohttp_connection *, const char *, const char *, const char *, const char *, size_t *,
  void **);

static struct {
  struct MHD_Daemon *(*start_daemon)(
    unsigned, uint16_t, void *, void *, access_handler, void *, ...);
  void (*stop_daemon)(struct MHD_Daemon *);
  const void *(*get_daemon_info)(struct MHD_Daemon *, int, ...);
  const void *(*get_connection_info)(cmicrohttp_connection *, int, ...);
  int (*get_timeout)(struct MHD_Daemon *, unsigned long long *);
  int (*run)(struct MHD_Daemon *);
  int (*get_connection_values_n)(cmicrohttp_connection *, int, cmicrohttp_iterator, void *);
  cmicrohttp_response *(*create_response_from_buffer)(size_t, void *, int);
  cmicrohttp_response *(*create_response_from_callback)(
    uint64_t, size_t, cmicrohttp_reader, void *, void (*)(void *));
  int (*add_response_header)(cmicrohttp_response *, const char *, const char *);
  int (*queue_response)(cmicrohttp_connection *, unsigned, cmicrohttp_response *);
  void (*destroy_response)(cmicrohttp_response *);
  void (*suspend_connection)(cmicrohttp_connection *);
  void (*resume_connection)(cmicrohttp_connection *);
} library;

#ifdef __APPLE__
static const char library_name[] = "libmicrohttpd.12.dylib";
#else
static const char library_name[] = "libmicrohttpd.so.12";
#endif

const char *cmicrohttp_load(void) {
  static bool is_loaded = false;
  if (is_loaded) return NULL;
  void *handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
#define LOAD(name) \
  if (!(*(void **)&library.name = dlsym(handle, "MHD_" #name))) return dlerror()
  LOAD(start_daemon);
  LOAD(stop_daemon);
  LOAD(get_daemon_info);
  LOAD(get_connection_info);
  LOAD(get_timeout);
  LOAD(run);
  LOAD(get_connection_values_n);
  LOAD(create_response_from_buffer);
  LOAD(create_response_from_callback);
  LOAD(add_response_header);
  LOAD(queue_response);
  LOAD(destroy_response);
  LOAD(suspend_connection);
  LOAD(resume_connection);
#undef LOAD
  is_loaded = true;
  return NULL;
}

struct cmicrohttp_server {
  struct MHD_Daemon *daemon;
  cmicrohttp_callbacks callbacks;
};

// A request as the library keeps it: the callbacks of its server, and what `begin` returned.
static int handle(
  void *context, cmicrohttp_connection *connection, const char *path, const char *method,
  const char *version, const char *bytes, size_t *count, void **request) {
  (void)version;
  cmicrohttp_server *server = context;
  if (!*request) {
    *request = server->callbacks.begin(server->callbacks.context, connection, path, method);
    return *request != NULL;
  }
  if (*count) {
    server->callbacks.body(*request, bytes, *count);
    *count = 0;
    return true;
  }
  return server->callbacks.complete(*request);
}

static void completed(
  void *context, cmicrohttp_connection *connection, void **request, int reason) {
  (void)connection;
  (void)reason;
  cmicrohttp_server *server = context;
  if (*request) server->callbacks.end(*request);
  *request = NULL;
}

static void notified(
  void *context, cmicrohttp_connection *connection, void **socket_context, int code) {
  (void)socket_context;
  cmicrohttp_server *server = context;
  if (code != 0) return server->callbacks.disconnected(server->callbacks.context, connection);
  const int *descriptor = library.get_connection_info(connection, connection_descriptor);
  server->callbacks.connected(
    server->callbacks.context, connection, descriptor ? *descriptor : -1);
}

static size_t kept(void *context, cmicrohttp_connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

cmicrohttp_server *cmicrohttp_start(
  int descriptor, cmicrohttp_limits limits, cmicrohttp_callbacks callbacks) {
  cmicrohttp_server *server = malloc(sizeof *server);
  if (!server) return NULL;
  server->callbacks = callbacks;
  server->daemon = library.start_daemon(
    flag_epoll | flag_itc | flag_suspend, 0, NULL, NULL, handle, server,
    option_memory, limits.memory, option_connections, limits.connections, option_timeout,
    limits.patience, option_completed, completed, server, option_notify_connection, notified,
    server, option_unescape, kept, NULL, option_listen_socket, descriptor, option_strict, 1,
    option_handles_sigpipe, 1, option_end);
  if (server->daemon) return server;
  free(server);
  return NULL;
}

int cmicrohttp_descriptor(cmicrohttp_server *server) {
  const int *descriptor = library.get_daemon_info(server->daemon, daemon_descriptor);
  return descriptor ? *descriptor : -1;
}

void cmicrohttp_run(cmicrohttp_server *server) { library.run(server->daemon); }

int64_t cmicrohttp_timeout(cmicrohttp_server *server) {
  unsigned long long timeout = 0;
  return library.get_timeout(server->daemon, &timeout) ? (int64_t)timeout : -1;
}

void cmicrohttp_stop(cmicrohttp_server *server) {
  library.stop_daemon(server->daemon);
  free(server);
}

void cmicrohttp_headers(
  cmicrohttp_connection *connection, cmicrohttp_iterator body, void *context) {
  library.get_connection_values_n(connection, kind_header, body, context);
}

void cmicrohttp_arguments(
  cmicrohttp_connection *connection, cmicrohttp_iterator body, void *context) {
  library.get_connection_values_n(connection, kind_argument, body, context);
}

cmicrohttp_response *cmicrohttp_response_bytes(const void *bytes, size_t count, bool is_constant) {
  return library.create_response_from_buffer(
    count, (void *)bytes, is_constant ? memory_persistent : memory_copied);
}

cmicrohttp_response *cmicrohttp_response_stream(
  size_t piece, cmicrohttp_reader reader, void *context, void (*release)(void *context)) {
  return library.create_response_from_callback(UINT64_MAX, piece, reader, context, release);
}

void cmicrohttp_header(cmicrohttp_response *response, const char *name, const char *value) {
  library.add_response_header(response, name, value);
}

bool cmicrohttp_respond(
  cmicrohttp_connection *connection, unsigned status, cmicrohttp_response *response) {
  bool is_queued = library.queue_response(connection, status, response);
  library.destroy_response(response);
  return is_queued;
}

void cmicrohttp_suspend(cmicrohttp_connection *connection) {
  library.suspend_connection(connection);
}

void cmicrohttp_resume(cmicrohttp_connection *connection) {
  library.resume_connection(connection);
}
