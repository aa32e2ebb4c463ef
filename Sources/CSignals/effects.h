#ifndef CSIGNALS_EFFECTS_H
#define CSIGNALS_EFFECTS_H

#include <stdbool.h>
#include <sys/types.h>

// What the handler calls.

// False if the signal is to have no effect.
bool csignals_end_arrived(int signal, pid_t sender);
void csignals_keyboard_arrived(void);

// True if the program of our parent process has this name.
bool csignals_parent_is(const char *name);

// Installs a handler without effects of its own.
void csignals_handle(int signal, void (*handler)(int));

#endif
