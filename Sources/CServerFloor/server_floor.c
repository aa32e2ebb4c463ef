#include "CServerFloor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { event_size = 190 };

static struct {
  uv_loop_t loop;
  uv_pipe_t listener;
  uv_timer_t timer;
  uv_pipe_t **clients;
  int wanted, asked, sent, events, milliseconds;
} server;

static void send_to_all(const char *type) {
  char event[512];
  int count = snprintf(
    event, sizeof event, "data: {\"v\":1,\"seq\":%d,\"type\":\"%s\",\"message\":\"", server.sent, type);
  while (count < event_size) event[count++] = 'x';
  count += snprintf(event + count, sizeof event - count, "\"}\nid: server.%d\n\n", server.sent);
  char chunk[600];
  const int size = snprintf(chunk, sizeof chunk, "%x\r\n%.*s\r\n", count, count, event);
  for (int i = 0; i < server.asked; i++) {
    // A reader that keeps up takes it at once, and the floor knows no others.
    uv_buf_t buffer = uv_buf_init(chunk, size);
    uv_try_write((uv_stream_t *)server.clients[i], &buffer, 1);
  }
}

static void tick(uv_timer_t *timer) {
  if (server.sent < server.events) {
    server.sent++;
    send_to_all("log");
    return;
  }
  send_to_all("completed");
  uv_timer_stop(timer);
  uv_close((uv_handle_t *)timer, NULL);
  uv_close((uv_handle_t *)&server.listener, NULL);
}

static void allocate(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  static char space[65536];
  (void)handle;
  (void)size;
  *buffer = uv_buf_init(space, sizeof space);
}

static void received(uv_stream_t *client, ssize_t count, const uv_buf_t *bytes) {
  (void)bytes;
  if (count < 0) return uv_close((uv_handle_t *)client, (uv_close_cb)free);
  if (client->data) return;
  client->data = &server;
  static char head[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  uv_buf_t buffer = uv_buf_init(head, sizeof head - 1);
  uv_try_write(client, &buffer, 1);
  server.clients[server.asked++] = (uv_pipe_t *)client;
  if (server.asked == server.wanted)
    uv_timer_start(&server.timer, tick, server.milliseconds, server.milliseconds);
}

static void connected(uv_stream_t *listener, int status) {
  if (status < 0) return;
  uv_pipe_t *client = calloc(1, sizeof *client);
  if (!client) return;
  uv_pipe_init(&server.loop, client, 0);
  if (uv_accept(listener, (uv_stream_t *)client) == 0)
    uv_read_start((uv_stream_t *)client, allocate, received);
}

int server_floor_serve(const char *path, int clients, int events, int milliseconds) {
  server.clients = calloc((size_t)clients, sizeof *server.clients);
  if (!server.clients) return UV_ENOMEM;
  server.wanted = clients;
  server.events = events;
  server.milliseconds = milliseconds;
  uv_loop_init(&server.loop);
  uv_timer_init(&server.loop, &server.timer);
  uv_pipe_init(&server.loop, &server.listener, 0);
  int code = uv_pipe_bind(&server.listener, path);
  if (code == 0) code = uv_listen((uv_stream_t *)&server.listener, 128, connected);
  if (code == 0) uv_run(&server.loop, UV_RUN_DEFAULT);
  return code;
}
