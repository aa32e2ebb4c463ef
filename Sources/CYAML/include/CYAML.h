#ifndef CYAML_H
#define CYAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of libyaml that is used here. The library is loaded when the first document is read.

/// Loads the library.
///
/// Returns NULL, or a text about why it cannot be loaded.
const char *cyaml_load(void);

/// A document that is being read. Its bytes must stay where they are.
typedef struct cyaml_reader cyaml_reader;

enum cyaml_kind {
  cyaml_end,
  cyaml_document_end,
  cyaml_alias,
  cyaml_scalar,
  cyaml_list_start,
  cyaml_list_end,
  cyaml_map_start,
  cyaml_map_end,
  cyaml_other,
};

/// What is read next. Its texts stay until the next call.
typedef struct {
  enum cyaml_kind kind;
  /// The name of an alias or of what it can name; NULL for none.
  const char *anchor;
  /// The text of a scalar, and its bytes.
  const uint8_t *text;
  size_t count;
  /// True for a scalar without quotation marks.
  bool is_plain;
  /// From 1.
  size_t line;
} cyaml_event;

/// Begins to read; NULL if there is no memory.
cyaml_reader *cyaml_open(const uint8_t *bytes, size_t count);

/// Reads on. Returns false at a mistake, which `cyaml_problem` describes.
bool cyaml_next(cyaml_reader *reader, cyaml_event *event);

/// The last mistake, and its line from 1.
const char *cyaml_problem(cyaml_reader *reader, size_t *line);

void cyaml_close(cyaml_reader *reader);

#endif
