#include <stddef.h>

#define SEPARATOR ", "

/// Writes both words and a separator into `line`.
char *join(char *line, size_t size, const char *first, const char *second);
