#ifndef CSIGNALS_H
#define CSIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

// Everything that the program does inside handlers of OS signals. It is C, because a handler may
// interrupt any code, and Swift may allocate, lock or count references wherever it likes. All
// functions here are async-signal-safe but for those that install a handler or open a stream.
//
// A signal can have several effects. One handler carries them out, always in this order: the request
// to end, the keyboard's interrupt, the call of a registered function, and what the former handler
// does (that of the event loop, which writes to the loop's pipe).

// --- Handlers (handlers.c) ---------------------------------------------------------------------

enum csignals_effect {
  // Requests the end of the run; a second signal forces it, unless it belongs to the same request.
  CSIGNALS_ENDS = 1,
  // Sets a flag, and interrupts blocking calls.
  CSIGNALS_KEYBOARD = 2,
  // Calls the function given to `csignals_on_call`.
  CSIGNALS_CALLS = 4
};

// Adds an effect to a signal. Its effects happen on the thread that has added the last one of all
// signals: one that arrives on another thread is passed on. Call it again after another handler was
// installed, as by the first listener of an event loop. Returns 0 or an errno value.
int csignals_add(int signal, enum csignals_effect effect);

// Lets the signals that request the end keep that effect, and no other, now that the handlers to which they
// were passed on are gone: otherwise one that comes while the program exits would end it by itself.
void csignals_outlive_handlers(void);

// The function for CSIGNALS_CALLS. It returns true if it has taken the signal, so that the default
// action is not.
void csignals_on_call(bool (*function)(int signal));

// --- The end (ending.c) ------------------------------------------------------------------------

// Forgets which signals have requested the end.
void csignals_reset_end(void);
// The first signal that has requested the end; 0 for none.
int csignals_end(void);
// True if a signal that comes so many milliseconds after the first one belongs to the same request.
bool csignals_is_repetition(int signal, int first, long long milliseconds);
// Says whether the next signal that forces the end only calls the former handler, because the program
// has to tell other processes before it calls `csignals_force_end`. One behind it forces the end at once.
void csignals_leave_force(bool to_program);
// Kills the children and ends the program with the status for the signal that has requested the end.
void csignals_force_end(void);
// True if a signal that comes so many milliseconds after the first one may be its repetition by timeout(1),
// whose child we are.
bool csignals_is_repeated_by_timeout(long long milliseconds);
// Ends the program at once with the status for the signal that has requested the end, or 1, because
// one call of C does not return.
void csignals_give_up(void);

// True if Ctrl-C was pressed and not taken.
bool csignals_keyboard(void);
// Takes it; true if there was one.
bool csignals_take_keyboard(void);

// Turns SIGPIPE into SIGTERM if the descriptor for values has no reader any more.
void csignals_watch_pipe(void);
bool csignals_is_pipe_broken(void);
int csignals_value_output(void);
void csignals_set_value_output(int descriptor);

// Redirects a stream to the null device if it cannot be written within a time: a blocked write goes on
// there as soon as a signal has interrupted it.
void csignals_abandon_if_stuck(int descriptor, int milliseconds);

// Lets SIGQUIT kill the children and restore the terminal before it ends the program.
void csignals_watch_quit(void);
// Ends the program with a status after some seconds.
void csignals_exit_after(unsigned seconds, int status);

// --- Streams (streams.c) -----------------------------------------------------------------------

// Writes all bytes, whatever signals arrive, to a non-blocking descriptor as well; what nobody reads
// is abandoned after a request to end. Returns the number of bytes written; errno says why it is less.
size_t csignals_write(int descriptor, const void *bytes, size_t length);
// Opens a stream that writes with that function, by lines to a terminal; NULL without memory. The C
// library's own streams drop their buffer when a signal interrupts its write, and when a non-blocking
// descriptor takes only a part of it.
FILE *csignals_open_stream(int descriptor);
// Puts such a stream in place of the C library's standard output; before anything is written there.
void csignals_replace_output(void);
// The errno value of the first write to that stream that failed; 0 for none.
int csignals_output_failure(void);
// True once something was written through that stream.
bool csignals_has_written_output(void);

// --- Synchronous loops -------------------------------------------------------------------------

// Loops on any thread look at it.
extern bool csignals_turn;

// Asks loops that never pause to let their event loop have a turn.
static inline void csignals_request_turn(void) {
  __atomic_store_n(&csignals_turn, true, __ATOMIC_RELAXED);
}
static inline void csignals_withdraw_turn(void) {
  __atomic_store_n(&csignals_turn, false, __ATOMIC_RELAXED);
}
static inline bool csignals_is_turn_requested(void) {
  return __atomic_load_n(&csignals_turn, __ATOMIC_RELAXED);
}

// --- Children (children.c) ---------------------------------------------------------------------

// Kills the process groups of all children that are in this session but not in our group, and those
// of processes that become our children as a result: a nested runner has groups of its own. Takes a
// tenth of a second at most. Only for a process that is about to end, because it reaps all children.
// Does nothing where the system does not list them.
void csignals_kill_child_groups(void);

// --- The terminal (terminal.c) -----------------------------------------------------------------

// Keeps the mode to which the terminal is restored; NULL for none.
void csignals_keep_terminal(const struct termios *mode);
// The kept mode; false if there is none.
bool csignals_kept_terminal(struct termios *mode);
// What switches bracketed paste off.
#define CSIGNALS_END_OF_PASTE "\033[?2004l"
// The terminal at which an entry is edited, with bracketed paste; -1 for none.
void csignals_edit_at(int terminal);
// What leaves the alternate screen, and shows the cursor.
#define CSIGNALS_END_OF_SCREEN "\033[?25h\033[?1049l"
// The terminal whose alternate screen is used; -1 for none.
void csignals_screen_at(int terminal);
// Restores the kept mode, if our group owns the terminal.
void csignals_restore_terminal(void);
// Discards what was typed, so that the shell does not execute it.
void csignals_discard_typed(void);
// True if no other process group owns the terminal, where setting its mode would stop this one.
bool csignals_owns_terminal(void);
// Restores the terminal before a crash ends the program.
void csignals_watch_crashes(void);

#endif
