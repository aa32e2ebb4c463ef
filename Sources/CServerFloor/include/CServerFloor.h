// The least that a server of events costs: what the panel is compared with.
#pragma once

/// Serves at a socket: once a number of clients has sent a request, each gets a number of events of
/// 190 bytes, one every few milliseconds, and then one of type "completed". Returns when all of them
/// have left; 0, or a negative error number of libuv.
int server_floor_serve(const char *path, int clients, int events, int milliseconds);
