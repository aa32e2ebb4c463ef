#include "join.h"

#include <stdio.h>

char *join(char *line, size_t size, const char *first, const char *second) {
  snprintf(line, size, "%s" SEPARATOR "%s", first, second);
  return line;
}
