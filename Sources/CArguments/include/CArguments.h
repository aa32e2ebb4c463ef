// Nothing to call: see arguments.c.
