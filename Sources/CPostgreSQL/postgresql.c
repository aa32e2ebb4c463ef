#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The part of the library's interface that is used here; it has been the same since version 9.
typedef struct pgNotify {
  char *relname;
  int be_pid;
  char *extra;
  struct pgNotify *next;
} notification;

typedef struct {
  char *keyword, *envvar, *compiled, *val, *label, *dispchar;
  int dispsize;
} setting;

enum { status_ok = 0 };
enum { result_empty = 0, result_command = 1, result_rows = 2, result_single = 9 };

static struct {
  cpostgresql_connection *(*connectStartParams)(
    const char *const *, const char *const *, int);
  int (*connectPoll)(cpostgresql_connection *);
  int (*socket)(const cpostgresql_connection *);
  void (*finish)(cpostgresql_connection *);
  char *(*errorMessage)(const cpostgresql_connection *);
  char *(*host)(const cpostgresql_connection *);
  char *(*port)(const cpostgresql_connection *);
  int (*serverVersion)(const cpostgresql_connection *);
  int (*backendPID)(const cpostgresql_connection *);
  int (*status)(const cpostgresql_connection *);
  int (*connectionNeedsPassword)(const cpostgresql_connection *);
  int (*setnonblocking)(cpostgresql_connection *, int);
  int (*sendQuery)(cpostgresql_connection *, const char *);
  int (*sendQueryParams)(
    cpostgresql_connection *, const char *, int, const unsigned *, const char *const *,
    const int *, const int *, int);
  int (*flush)(cpostgresql_connection *);
  int (*consumeInput)(cpostgresql_connection *);
  int (*isBusy)(cpostgresql_connection *);
  cpostgresql_result *(*getResult)(cpostgresql_connection *);
  int (*resultStatus)(const cpostgresql_result *);
  char *(*resultErrorField)(const cpostgresql_result *, int);
  int (*ntuples)(const cpostgresql_result *);
  int (*nfields)(const cpostgresql_result *);
  char *(*getvalue)(const cpostgresql_result *, int, int);
  int (*getlength)(const cpostgresql_result *, int, int);
  int (*getisnull)(const cpostgresql_result *, int, int);
  void (*clear)(cpostgresql_result *);
  notification *(*notifies)(cpostgresql_connection *);
  void (*freemem)(void *);
  setting *(*conninfoParse)(const char *, char **);
  void (*conninfoFree)(setting *);
  void (*(*setNoticeProcessor)(
    cpostgresql_connection *, void (*)(void *, const char *), void *))(void *, const char *);
} library;

#ifdef __APPLE__
static const char library_name[] = "libpq.5.dylib";
#else
static const char library_name[] = "libpq.so.5";
#endif

const char *cpostgresql_load(void) {
  static bool is_loaded = false;
  if (is_loaded) return NULL;
  void *handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
#define LOAD(name) \
  if (!(*(void **)&library.name = dlsym(handle, "PQ" #name))) return dlerror()
  LOAD(connectStartParams);
  LOAD(connectPoll);
  LOAD(socket);
  LOAD(finish);
  LOAD(errorMessage);
  LOAD(host);
  LOAD(port);
  LOAD(serverVersion);
  LOAD(backendPID);
  LOAD(status);
  LOAD(connectionNeedsPassword);
  LOAD(setnonblocking);
  LOAD(sendQuery);
  LOAD(sendQueryParams);
  LOAD(flush);
  LOAD(consumeInput);
  LOAD(isBusy);
  LOAD(getResult);
  LOAD(resultStatus);
  LOAD(resultErrorField);
  LOAD(ntuples);
  LOAD(nfields);
  LOAD(getvalue);
  LOAD(getlength);
  LOAD(getisnull);
  LOAD(clear);
  LOAD(notifies);
  LOAD(freemem);
  LOAD(conninfoParse);
  LOAD(conninfoFree);
  LOAD(setNoticeProcessor);
#undef LOAD
  is_loaded = true;
  return NULL;
}

char *cpostgresql_check(const char *url) {
  char *problem = NULL;
  setting *settings = library.conninfoParse(url, &problem);
  if (!settings) return problem;
  library.conninfoFree(settings);
  return NULL;
}

char *cpostgresql_setting(const char *url, const char *name) {
  setting *settings = library.conninfoParse(url, NULL);
  if (!settings) return NULL;
  char *value = NULL;
  for (setting *each = settings; each->keyword; each++)
    if (each->val && !strcmp(each->keyword, name)) value = strdup(each->val);
  library.conninfoFree(settings);
  return value;
}

void cpostgresql_free(void *memory) { library.freemem(memory); }

enum { most_settings = 32 };

cpostgresql_connection *cpostgresql_start(
  const char *url, const char *const *default_names, const char *const *default_values,
  const char *const *override_names, const char *const *override_values) {
  const char *names[most_settings + 1], *values[most_settings + 1];
  int count = 0;
  // A later setting takes the place of an earlier one, those inside of the URL included.
  for (int i = 0; default_names[i] && count < most_settings / 2; i++) {
    names[count] = default_names[i];
    values[count++] = default_values[i];
  }
  names[count] = "dbname";
  values[count++] = url;
  for (int i = 0; override_names[i] && count < most_settings; i++) {
    names[count] = override_names[i];
    values[count++] = override_values[i];
  }
  names[count] = values[count] = NULL;
  return library.connectStartParams(names, values, true);
}

enum cpostgresql_progress cpostgresql_poll(cpostgresql_connection *connection) {
  enum cpostgresql_progress progress = library.connectPoll(connection);
  if (progress == cpostgresql_connected) library.setnonblocking(connection, true);
  return progress;
}

int cpostgresql_socket(cpostgresql_connection *connection) { return library.socket(connection); }

void cpostgresql_finish(cpostgresql_connection *connection) { library.finish(connection); }

const char *cpostgresql_error(cpostgresql_connection *connection) {
  return library.errorMessage(connection);
}

const char *cpostgresql_host(cpostgresql_connection *connection) {
  return library.host(connection);
}

const char *cpostgresql_port(cpostgresql_connection *connection) {
  return library.port(connection);
}

int cpostgresql_server_version(cpostgresql_connection *connection) {
  return library.serverVersion(connection);
}

int cpostgresql_process(cpostgresql_connection *connection) {
  return library.backendPID(connection);
}

bool cpostgresql_is_up(cpostgresql_connection *connection) {
  return library.status(connection) == status_ok;
}

bool cpostgresql_needs_password(cpostgresql_connection *connection) {
  return library.connectionNeedsPassword(connection);
}

bool cpostgresql_send(
  cpostgresql_connection *connection, const char *statement, int count,
  const char *const *parameters) {
  if (count == 0) return library.sendQuery(connection, statement);
  return library.sendQueryParams(
    connection, statement, count, NULL, parameters, NULL, NULL, 0);
}

int cpostgresql_flush(cpostgresql_connection *connection) { return library.flush(connection); }

bool cpostgresql_consume(cpostgresql_connection *connection) {
  return library.consumeInput(connection);
}

bool cpostgresql_is_busy(cpostgresql_connection *connection) {
  return library.isBusy(connection);
}

cpostgresql_result *cpostgresql_next(cpostgresql_connection *connection) {
  return library.getResult(connection);
}

bool cpostgresql_has_failed(cpostgresql_result *result) {
  int status = library.resultStatus(result);
  return status != result_empty && status != result_command && status != result_rows &&
    status != result_single;
}

const char *cpostgresql_field(cpostgresql_result *result, char field) {
  return library.resultErrorField(result, field);
}

int cpostgresql_rows(cpostgresql_result *result) { return library.ntuples(result); }

int cpostgresql_columns(cpostgresql_result *result) { return library.nfields(result); }

const char *cpostgresql_value(cpostgresql_result *result, int row, int column, int *count) {
  if (library.getisnull(result, row, column)) return NULL;
  *count = library.getlength(result, row, column);
  return library.getvalue(result, row, column);
}

void cpostgresql_clear(cpostgresql_result *result) { library.clear(result); }

void cpostgresql_notifications(
  cpostgresql_connection *connection, void *context,
  void (*body)(void *context, const char *channel, const char *payload)) {
  notification *each;
  while ((each = library.notifies(connection))) {
    body(context, each->relname, each->extra ? each->extra : "");
    library.freemem(each);
  }
}

static void ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

void cpostgresql_silence(cpostgresql_connection *connection) {
  library.setNoticeProcessor(connection, ignore, NULL);
}
