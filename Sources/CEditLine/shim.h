#ifndef RACLETTE_CEDITLINE_SHIM_H
#define RACLETTE_CEDITLINE_SHIM_H

#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

// What Swift cannot call itself: functions with variable arguments, and extensions of the C library
// that its module is imported without.

typedef int (*ceditline_getc)(EditLine *, wchar_t *);
typedef wchar_t *(*ceditline_prompt)(EditLine *);
typedef unsigned char (*ceditline_function)(EditLine *, int);

static inline void ceditline_set_owner(EditLine *el, void *owner) {
  el_wset(el, EL_CLIENTDATA, owner);
}

static inline void *ceditline_owner(EditLine *el) {
  void *owner = NULL;
  el_wget(el, EL_CLIENTDATA, &owner);
  return owner;
}

static inline void ceditline_set_getc(EditLine *el, ceditline_getc read) {
  el_wset(el, EL_GETCFN, read);
}

static inline void ceditline_set_prompt(EditLine *el, ceditline_prompt prompt) {
  el_wset(el, EL_PROMPT, prompt);
}

static inline void ceditline_set_history(EditLine *el, HistoryW *history) {
  el_wset(el, EL_HIST, history_w, history);
}

/// Makes the keys of Emacs those to edit with; ~/.editrc may say otherwise.
static inline void ceditline_use_emacs_keys(EditLine *el) { el_wset(el, EL_EDITOR, L"emacs"); }

/// Lets Ctrl-C leave what was written and typed: the terminal throws it away after it has sent the
/// signal, and with it what the program has written in answer.
static inline void ceditline_keep_queues(EditLine *el) {
  el_set(el, EL_SETTY, "-d", "+noflsh", NULL);
  el_set(el, EL_SETTY, "-x", "+noflsh", NULL);
}

static inline void ceditline_add_function(
    EditLine *el, const wchar_t *name, const wchar_t *help, ceditline_function function) {
  el_wset(el, EL_ADDFN, name, help, function);
}

static inline void ceditline_bind(EditLine *el, const wchar_t *key, const wchar_t *function) {
  el_wset(el, EL_BIND, key, function, NULL);
}

/// Draws the prompt and the line from where the cursor is.
static inline void ceditline_refresh(EditLine *el) { el_wset(el, EL_REFRESH); }

/// Puts the terminal into the editor's mode, or back.
static inline void ceditline_prepare_terminal(EditLine *el, int isEditing) {
  el_wset(el, EL_PREP_TERM, isEditing);
}

static inline void ceditline_limit_history(HistoryW *history, int count) {
  HistEventW event;
  history_w(history, &event, H_SETSIZE, count);
}

static inline void ceditline_enter(HistoryW *history, const wchar_t *line) {
  HistEventW event;
  history_w(history, &event, H_ENTER, line);
}

/// How many columns a character takes; negative for one that the locale does not know.
static inline int ceditline_columns(wchar_t character) {
  extern int wcwidth(wchar_t character);
  return wcwidth(character);
}

/// A descriptor under a number that no program expects.
static inline int ceditline_moved(int descriptor) {
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  close(descriptor);
  return moved;
}

/// The columns and rows of a terminal; 0 where it does not say.
static inline void ceditline_size(int descriptor, int *columns, int *rows) {
  struct winsize size = {0};
  ioctl(descriptor, TIOCGWINSZ, &size);
  *columns = size.ws_col;
  *rows = size.ws_row;
}

/// A pipe that programs do not inherit and whose reader never waits.
///
/// \returns 0, or a negative number.
static inline int ceditline_pipe(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    ends[i] = ceditline_moved(ends[i]);
    if (ends[i] < 0) return -1;
  }
  return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

#endif
