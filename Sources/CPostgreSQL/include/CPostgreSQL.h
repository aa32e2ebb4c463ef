// libpq, loaded when a server is named, so that programs that name none do not pay for it.
//
// All calls but `cpostgresql_load` need the library to be loaded. None of them waits.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// A connection to a server.
typedef struct pg_conn cpostgresql_connection;
/// The result of a statement.
typedef struct pg_result cpostgresql_result;

/// What a connection that is being made waits for.
enum cpostgresql_progress {
  cpostgresql_failed = 0,
  cpostgresql_reading = 1,
  cpostgresql_writing = 2,
  cpostgresql_connected = 3,
};

/// Loads the library. Returns null, or why that is not possible.
const char *cpostgresql_load(void);

/// Checks a URL or a connection string. Returns null, or what is wrong, to be freed by
/// `cpostgresql_free`.
char *cpostgresql_check(const char *url);
/// The value that a URL gives to a setting, or null; to be freed by `free` of the C library.
char *cpostgresql_setting(const char *url, const char *name);
void cpostgresql_free(void *memory);

/// Begins to connect. The settings of the URL take precedence over `defaults`, those of `overrides`
/// over both; each list ends with null.
cpostgresql_connection *cpostgresql_start(
  const char *url, const char *const *default_names, const char *const *default_values,
  const char *const *override_names, const char *const *override_values);
enum cpostgresql_progress cpostgresql_poll(cpostgresql_connection *connection);
int cpostgresql_socket(cpostgresql_connection *connection);
/// Closes a connection and frees it.
void cpostgresql_finish(cpostgresql_connection *connection);
/// The last error of a connection.
const char *cpostgresql_error(cpostgresql_connection *connection);
/// The host and the port, as the library has found them.
const char *cpostgresql_host(cpostgresql_connection *connection);
const char *cpostgresql_port(cpostgresql_connection *connection);
/// The version of the server, such as 150018; 0 without a connection.
int cpostgresql_server_version(cpostgresql_connection *connection);
/// The number of the process that serves the connection, as it was told when the connection was made; 0 if
/// it was not. A pooler makes one up, unlike that of `pg_backend_pid()`.
int cpostgresql_process(cpostgresql_connection *connection);
/// True if the connection works, as far as is known.
bool cpostgresql_is_up(cpostgresql_connection *connection);
/// True if the server wants a password that was not given.
bool cpostgresql_needs_password(cpostgresql_connection *connection);

/// Sends a statement, with parameters as text. Without any, it may consist of several commands.
bool cpostgresql_send(
  cpostgresql_connection *connection, const char *statement, int count,
  const char *const *parameters);
/// Sends what waits. Returns 0 when nothing is left, 1 if some is, -1 if it failed.
int cpostgresql_flush(cpostgresql_connection *connection);
/// Takes what has arrived. Returns false if the connection is lost.
bool cpostgresql_consume(cpostgresql_connection *connection);
/// True if the next result has not arrived.
bool cpostgresql_is_busy(cpostgresql_connection *connection);
/// The next result of the statement; null when there is no more.
cpostgresql_result *cpostgresql_next(cpostgresql_connection *connection);

/// True if a statement failed; `code` is then its SQLSTATE.
bool cpostgresql_has_failed(cpostgresql_result *result);
const char *cpostgresql_field(cpostgresql_result *result, char field);
int cpostgresql_rows(cpostgresql_result *result);
int cpostgresql_columns(cpostgresql_result *result);
/// A value as text, which ends with a zero; null for NULL.
const char *cpostgresql_value(cpostgresql_result *result, int row, int column, int *count);
void cpostgresql_clear(cpostgresql_result *result);

/// Calls `body` with the channel and the payload of each notification that has arrived.
void cpostgresql_notifications(
  cpostgresql_connection *connection, void *context,
  void (*body)(void *context, const char *channel, const char *payload));
/// Drops notices of the server, which would be printed.
void cpostgresql_silence(cpostgresql_connection *connection);
