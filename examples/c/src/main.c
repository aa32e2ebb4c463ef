#include "text/join.h"
#include <stdio.h>

int main(void) {
  char line[64];
  puts(join(line, sizeof line, "hello", "world"));
  return 0;
}
