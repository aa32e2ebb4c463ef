#include "CQueueFloor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { parameters = 16, result_rows = 2 };

static struct {
  void *(*connectdb)(const char *);
  int (*status)(void *);
  char *(*errorMessage)(void *);
  void *(*execParams)(
    void *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);
  int (*resultStatus)(void *);
  int (*ntuples)(void *);
  char *(*getvalue)(void *, int, int);
  void (*clear)(void *);
  void (*finish)(void *);
} library;

static int load(void) {
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define LOAD(name) if (!(*(void **)&library.name = dlsym(handle, "PQ" #name))) return 0
  LOAD(connectdb);
  LOAD(status);
  LOAD(errorMessage);
  LOAD(execParams);
  LOAD(resultStatus);
  LOAD(ntuples);
  LOAD(getvalue);
  LOAD(clear);
  LOAD(finish);
#undef LOAD
  return 1;
}

// A text that grows.
struct text {
  char *bytes;
  size_t size, space;
};

static void add(struct text *text, const char *piece) {
  size_t length = strlen(piece);
  if (text->size + length + 1 > text->space) {
    text->space = 2 * (text->size + length + 1);
    text->bytes = realloc(text->bytes, text->space);
  }
  memcpy(text->bytes + text->size, piece, length + 1);
  text->size += length;
}

static void element(struct text *text, const char *piece) {
  add(text, text->size > 1 ? "," : "");
  add(text, piece);
}

// The columns of `raclette.finish` behind the session and before `tells`.
static const char *const done_values[] = {
  0, "completed", "0.0001", "1", "NULL", "NULL", "NULL", "NULL",
  "\"{\\\"ts\\\":1700000000.123456,\\\"type\\\":\\\"completed\\\",\\\"command\\\":\\\"noop\\\","
  "\\\"execution\\\":1,\\\"duration\\\":0.0001,\\\"entry\\\":{\\\"plan\\\":\\\"noop.jsonl\\\","
  "\\\"line\\\":1,\\\"recorded\\\":1},\\\"batch\\\":1,\\\"worker\\\":\\\"host:1\\\","
  "\\\"attempt\\\":1}\"",
  0, 0, 0,
  "\"{\\\"ts\\\":1700000000.123456,\\\"type\\\":\\\"execution_started\\\",\\\"command\\\":\\\"noop\\\","
  "\\\"execution\\\":1,\\\"input\\\":{\\\"n\\\":1},\\\"entry\\\":{\\\"plan\\\":\\\"noop.jsonl\\\","
  "\\\"line\\\":1,\\\"recorded\\\":1},\\\"batch\\\":1,\\\"worker\\\":\\\"host:1\\\","
  "\\\"attempt\\\":1}\"",
};

long queue_floor_run(const char *url, int most) {
  if (!load()) return fprintf(stderr, "there is no libpq\n"), -1;
  void *connection = library.connectdb(url);
  if (library.status(connection) != 0)
    return fprintf(stderr, "%s", library.errorMessage(connection)), -1;
  char session[64], want[16];
  snprintf(session, sizeof session, "00000000-0000-4000-8000-%012d", (int)getpid());
  snprintf(want, sizeof want, "%d", most);
  const char *first[] = {session};
  library.clear(library.execParams(
    connection,
    "SELECT raclette.beat($1, true, 'floor', '1', '{}', 1, false, NULL, 60, NULL)", 1, NULL, first,
    NULL, NULL, 0));
  library.clear(
    library.execParams(connection, "SET jit = off", 0, NULL, NULL, NULL, NULL, 0));
  struct text columns[13] = {{0}};
  long total = 0;
  int count = 0;
  char(*tokens)[24] = calloc(most, 24), (*batches)[24] = calloc(most, 24);
  do {
    for (int column = 0; column < 13; column++) {
      columns[column].size = 0;
      add(&columns[column], "{");
      // What has ended needs no word that it had begun.
      for (int i = 0; i < count && column != 9; i++)
        element(
          &columns[column], done_values[column] ? done_values[column]
                            : column == 11      ? batches[i]
                                                : tokens[i]);
      add(&columns[column], "}");
    }
    const char *values[parameters] = {session};
    for (int column = 0; column < 13; column++) values[column + 1] = columns[column].bytes;
    values[14] = "{}";
    values[15] = want;
    void *rows = library.execParams(
      connection,
      "SELECT * FROM raclette.finish($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16)",
      parameters, NULL, values, NULL, NULL, 0);
    if (library.resultStatus(rows) != result_rows)
      return fprintf(stderr, "%s", library.errorMessage(connection)), -1;
    total += count;
    count = library.ntuples(rows);
    for (int i = 0; i < count; i++) {
      snprintf(tokens[i], 24, "%s", library.getvalue(rows, i, 0));
      snprintf(batches[i], 24, "%s", library.getvalue(rows, i, 2));
    }
    library.clear(rows);
  } while (count > 0);
  library.clear(library.execParams(
    connection, "SELECT raclette.leave($1)", 1, NULL, first, NULL, NULL, 0));
  library.finish(connection);
  for (int column = 0; column < 13; column++) free(columns[column].bytes);
  free(tokens);
  free(batches);
  return total;
}
