#include "CYAML.h"

#include <dlfcn.h>
#include <stdlib.h>

// The part of the library's interface that is used here; the library's name changes with it.
typedef struct {
  size_t index, line, column;
} mark;

enum { event_stream_end = 2, event_document_end = 4, event_alias = 5, event_scalar = 6 };
enum { event_list_start = 7, event_list_end = 8, event_map_start = 9, event_map_end = 10 };
enum { style_plain = 1 };

typedef struct {
  int type;
  union {
    // Of an alias, a scalar, a sequence and a mapping it is the first member.
    char *anchor;
    struct {
      char *anchor, *tag;
      uint8_t *value;
      size_t length;
      int plain_implicit, quoted_implicit, style;
    } scalar;
  } data;
  mark start, end;
} yaml_event;

// The parser's first members, and room for the others, which are 480 bytes together.
typedef union {
  struct {
    int error;
    const char *problem;
    size_t problem_offset;
    int problem_value;
    mark problem_mark;
    const char *context;
    mark context_mark;
  } state;
  char bytes[1024];
} yaml_parser;

static struct {
  int (*parser_initialize)(yaml_parser *);
  void (*parser_delete)(yaml_parser *);
  void (*parser_set_input_string)(yaml_parser *, const uint8_t *, size_t);
  int (*parser_parse)(yaml_parser *, yaml_event *);
  void (*event_delete)(yaml_event *);
} library;

#ifdef __APPLE__
static const char library_name[] = "libyaml-0.2.dylib";
#else
static const char library_name[] = "libyaml-0.so.2";
#endif

const char *cyaml_load(void) {
  static bool is_loaded = false;
  if (is_loaded) return NULL;
  void *handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
#define LOAD(name) \
  if (!(*(void **)&library.name = dlsym(handle, "yaml_" #name))) return dlerror()
  LOAD(parser_initialize);
  LOAD(parser_delete);
  LOAD(parser_set_input_string);
  LOAD(parser_parse);
  LOAD(event_delete);
#undef LOAD
  is_loaded = true;
  return NULL;
}

struct cyaml_reader {
  yaml_parser parser;
  yaml_event event;
  bool has_event;
};

cyaml_reader *cyaml_open(const uint8_t *bytes, size_t count) {
  cyaml_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  if (!library.parser_initialize(&reader->parser)) {
    free(reader);
    return NULL;
  }
  library.parser_set_input_string(&reader->parser, bytes, count);
  return reader;
}

static enum cyaml_kind kind(int type) {
  switch (type) {
    case event_stream_end: return cyaml_end;
    case event_document_end: return cyaml_document_end;
    case event_alias: return cyaml_alias;
    case event_scalar: return cyaml_scalar;
    case event_list_start: return cyaml_list_start;
    case event_list_end: return cyaml_list_end;
    case event_map_start: return cyaml_map_start;
    case event_map_end: return cyaml_map_end;
    default: return cyaml_other;
  }
}

bool cyaml_next(cyaml_reader *reader, cyaml_event *result) {
  if (reader->has_event) library.event_delete(&reader->event);
  reader->has_event = library.parser_parse(&reader->parser, &reader->event);
  if (!reader->has_event) return false;
  yaml_event *event = &reader->event;
  *result = (cyaml_event){.kind = kind(event->type), .line = event->start.line + 1};
  switch (result->kind) {
    case cyaml_scalar:
      result->text = event->data.scalar.value;
      result->count = event->data.scalar.length;
      result->is_plain = event->data.scalar.style == style_plain;
      // fall through
    case cyaml_alias:
    case cyaml_list_start:
    case cyaml_map_start: result->anchor = event->data.anchor; break;
    default: break;
  }
  return true;
}

const char *cyaml_problem(cyaml_reader *reader, size_t *line) {
  *line = reader->parser.state.problem_mark.line + 1;
  return reader->parser.state.problem ? reader->parser.state.problem : "it cannot be read";
}

void cyaml_close(cyaml_reader *reader) {
  if (reader->has_event) library.event_delete(&reader->event);
  library.parser_delete(&reader->parser);
  free(reader);
}
