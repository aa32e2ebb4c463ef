// Rows of functions that receive the same values.

#include "host.h"

#include <stdlib.h>

void rac_lua_append_to_row(rac_lua_row *row, int32_t function) {
  if (row->count == row->capacity) {
    row->capacity = row->capacity ? row->capacity * 2 : 1;
    row->functions = realloc(row->functions, (size_t)row->capacity * sizeof *row->functions);
    if (!row->functions) abort();
  }
  row->functions[row->count++] = function;
}

void rac_lua_compact_row(rac_lua_row *row) {
  int32_t kept = 0;
  for (int32_t place = 0; place < row->count; place++) {
    if (row->functions[place]) row->functions[kept++] = row->functions[place];
  }
  row->count = kept;
}
