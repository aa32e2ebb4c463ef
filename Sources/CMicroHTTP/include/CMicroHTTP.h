// libmicrohttpd, loaded when a server starts, so that programs that start none do not pay for it.
//
// The library and all of its objects belong to the thread of the server's loop: no thread is started.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A running server.
typedef struct cmicrohttp_server cmicrohttp_server;
/// A connection of a client, and the request on it.
typedef struct MHD_Connection cmicrohttp_connection;
/// A response that has not been sent.
typedef struct MHD_Response cmicrohttp_response;

/// What a server calls. `context` is the server's, `request` what `begin` returned.
typedef struct {
  void *context;
  /// A client has connected, or has left; `descriptor` is its socket.
  void (*connected)(void *context, cmicrohttp_connection *connection, int descriptor);
  void (*disconnected)(void *context, cmicrohttp_connection *connection);
  /// The head of a request has arrived. A response may be sent already. Returns the request.
  void *(*begin)(
    void *context, cmicrohttp_connection *connection, const char *path, const char *method);
  /// A piece of the body has arrived.
  void (*body)(void *request, const char *bytes, size_t count);
  /// The whole request has arrived, or the connection was resumed. Sends a response or suspends the
  /// connection; returns false to close it.
  bool (*complete)(void *request);
  /// The request has ended, with its response or without.
  void (*end)(void *request);
} cmicrohttp_callbacks;

/// The limits of a server.
typedef struct {
  /// The bytes of memory of a connection; a longer head is refused.
  size_t memory;
  unsigned connections;
  /// The seconds without progress after which a connection is closed.
  unsigned patience;
} cmicrohttp_limits;

/// Loads the library. Returns null, or why that is not possible.
const char *cmicrohttp_load(void);

/// Serves the clients of a listening socket, which it closes at the end. Returns null if the system
/// refuses. Paths and arguments are passed on as they came, without decoding.
cmicrohttp_server *cmicrohttp_start(
  int descriptor, cmicrohttp_limits limits, cmicrohttp_callbacks callbacks);

/// The descriptor that is readable when `cmicrohttp_run` has something to do.
int cmicrohttp_descriptor(cmicrohttp_server *server);

/// Does what is due, without waiting.
void cmicrohttp_run(cmicrohttp_server *server);

/// The milliseconds until `cmicrohttp_run` has something to do without news on the descriptor; -1 if
/// it never has.
int64_t cmicrohttp_timeout(cmicrohttp_server *server);

/// Closes all connections, none of which may be suspended, and frees the server.
void cmicrohttp_stop(cmicrohttp_server *server);

/// Calls `body` with each header, or with each argument of the query, whose value may be null.
typedef int (*cmicrohttp_iterator)(
  void *context, int kind, const char *name, size_t name_count, const char *value,
  size_t value_count);
void cmicrohttp_headers(
  cmicrohttp_connection *connection, cmicrohttp_iterator body, void *context);
void cmicrohttp_arguments(
  cmicrohttp_connection *connection, cmicrohttp_iterator body, void *context);

/// A response with a copy of some bytes, or with bytes that live as long as the program.
cmicrohttp_response *cmicrohttp_response_bytes(const void *bytes, size_t count, bool is_constant);

/// Reads what a response streams: returns a number of bytes, 0 after the connection was suspended, or
/// -1 at the end.
typedef ssize_t (*cmicrohttp_reader)(void *context, uint64_t position, char *space, size_t count);

/// A response of unknown length; `release` is called with `context` when it is over.
cmicrohttp_response *cmicrohttp_response_stream(
  size_t piece, cmicrohttp_reader reader, void *context, void (*release)(void *context));

void cmicrohttp_header(cmicrohttp_response *response, const char *name, const char *value);

/// Sends a response and releases it. Returns false if the connection cannot take one.
bool cmicrohttp_respond(
  cmicrohttp_connection *connection, unsigned status, cmicrohttp_response *response);

void cmicrohttp_suspend(cmicrohttp_connection *connection);
void cmicrohttp_resume(cmicrohttp_connection *connection);
