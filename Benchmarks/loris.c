// SPDX-License-Identifier: Apache-2.0
//
// Two clients for loris.py, in C so that they take little of the cores they share with the daemon.
//
//   loris siege PORT CONNECTIONS SECONDS HIT LARGE       holds slow connections of nine kinds, then closes them all
//   loris client PORT SECONDS HIT TAG                    asks now and then, as a browser would, and times the answers
//
// HIT and LARGE are targets, TAG is the entity tag of HIT. Both print one JSON object. A connection that the daemon
// closes is opened again at once, or at its next turn if it did not live for a second. The siege's come from 100 addresses of 127/8, so that ports do not run out.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Each connection acts once in this many microseconds; the first round opens them all.
#define PERIOD 3000000
#define RAMP 1000000
#define PIPELINED 100

enum kind { HEAD, BODY, CHUNKS, READER, SILENT, HALF, IDLE, PIPELINE, CHURN, KINDS };
static const char *const names[KINDS] = {
    "head drips", "body drips", "chunks drip", "slow reader", "silent", "half-closed", "idle", "pipelined", "churn",
};

typedef struct {
    int fd;
    enum kind kind;
    int status;     // of the first answer, 0 before
    uint64_t since; // when it was opened
} connection;

typedef struct {
    long opened, refused, reset, silent, answered, overloaded, timed_out;
    uint32_t *lives; // milliseconds
    size_t count, room;
} tally;

static connection *all;
static tally tallies[KINDS];
static int epoll_fd, port, total;
static const char *hit, *large;

static uint64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int by_size(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t quantile(uint32_t *sorted, size_t count, double share) {
    return count ? sorted[(size_t)((count - 1) * share)] : 0;
}

static struct sockaddr_in address(uint32_t host, int number) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(number), .sin_addr.s_addr = htonl(host)};
    return name;
}

static int say(int fd, const char *text) {
    return send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// MARK: The siege

static void greet(connection *c) {
    char text[16384];
    int length = 0;
    switch (c->kind) {
    case HEAD: length = sprintf(text, "GET %s HTTP/1.1\r\nHost: x\r\nX: ", hit); break;
    case BODY: length = sprintf(text, "GET %s HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", hit); break;
    case CHUNKS: length = sprintf(text, "GET %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", hit); break;
    case READER: length = sprintf(text, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", large); break;
    case IDLE: length = sprintf(text, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", hit); break;
    case HALF: length = sprintf(text, "GET %s HTTP/1.1\r\nHost: x\r\n%s", large, c->fd % 2 ? "" : "\r\n"); break;
    case PIPELINE:
        for (int i = 0; i < PIPELINED; i++)
            length += snprintf(text + length, sizeof text - length, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", hit);
        if (length > (int)sizeof text) length = sizeof text;
        break;
    case SILENT: case CHURN: case KINDS: break;
    }
    if (length) send(c->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (c->kind == HALF) shutdown(c->fd, SHUT_WR);
}

// On the same machine, a connection is made or refused when connect(2) returns.
static void open_connection(connection *c) {
    int index = c - all, one = 1, small = 2048;
    c->status = 0;
    c->since = microseconds();
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0) { perror("socket"); exit(1); }
    bool slow = c->kind == READER || c->kind == PIPELINE || c->kind == HALF;
    if (slow) setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    struct sockaddr_in own = address(0x7F000002 + index % 100, 0), other = address(INADDR_LOOPBACK, port);
    bind(c->fd, (struct sockaddr *)&own, sizeof own);
    tallies[c->kind].opened++;
    // Slow readers read by the clock, so only resets are reported for them.
    struct epoll_event event = {.events = EPOLLRDHUP | (slow ? 0 : EPOLLIN), .data.u32 = index};
    if (connect(c->fd, (struct sockaddr *)&other, sizeof other) && errno != EINPROGRESS) {
        tallies[c->kind].refused++;
        close(c->fd);
        c->fd = -1;
        return;
    }
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event);
    greet(c);
}

static void ended(connection *c, bool reset) {
    tally *t = &tallies[c->kind];
    if (c->status == 408) t->timed_out++;
    else if (c->status == 503) t->overloaded++;
    else if (reset) t->reset++;
    else if (c->status) t->answered++;
    else t->silent++;
    if (t->count == t->room) t->lives = realloc(t->lives, (t->room = t->room * 2 + 64) * sizeof *t->lives);
    t->lives[t->count++] = (microseconds() - c->since) / 1000;
    close(c->fd);
    c->fd = -1;
    if (t->lives[t->count - 1] >= 1000) open_connection(c);
}

static void receive(connection *c, size_t limit) {
    char bytes[16384];
    ssize_t count = recv(c->fd, bytes, limit < sizeof bytes ? limit : sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return ended(c, count < 0);
    if (count >= 12 && !memcmp(bytes, "HTTP/1.1 ", 9)) c->status = atoi(bytes + 9);
}

// The action of a connection, once in a period.
static void act(connection *c) {
    char text[1024];
    if (c->fd < 0) return open_connection(c);
    switch (c->kind) {
    case HEAD: case BODY: say(c->fd, "a"); break;
    case CHUNKS: say(c->fd, "1\r\na\r\n"); break;
    case READER: case PIPELINE: case HALF: receive(c, 16); break;
    case CHURN:
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", hit);
        if (!c->status) say(c->fd, text);
        break;
    case SILENT: case IDLE: case KINDS: break;
    }
}

static void hear(int timeout) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll_fd, events, 256, timeout);
    for (int i = 0; i < count; i++) {
        connection *c = &all[events[i].data.u32];
        if (c->fd < 0) continue;
        if (events[i].events & EPOLLERR) ended(c, true);
        else receive(c, 16384);
    }
}

static void tell(void) {
    int open = 0;
    for (int i = 0; i < total; i++) open += all[i].fd >= 0;
    printf("{\"open\": %d, \"kinds\": {", open);
    for (int k = 0; k < KINDS; k++) {
        tally *t = &tallies[k];
        qsort(t->lives, t->count, sizeof *t->lives, by_size);
        printf("%s\"%s\": {\"opened\": %ld, \"408\": %ld, \"503\": %ld, \"answered\": %ld, \"silent\": %ld, \"reset\": %ld,"
               " \"refused\": %ld, \"life\": [%u, %u]}", k ? ", " : "", names[k], t->opened, t->timed_out, t->overloaded,
               t->answered, t->silent, t->reset, t->refused, quantile(t->lives, t->count, 0.5), quantile(t->lives, t->count, 1));
    }
    printf("}}\n");
}

static int siege(char **arguments) {
    port = atoi(arguments[0]);
    total = atoi(arguments[1]);
    hit = arguments[3];
    large = arguments[4];
    all = calloc(total, sizeof *all);
    epoll_fd = epoll_create1(0);
    for (int i = 0; i < total; i++) all[i] = (connection){.fd = -1, .kind = i % KINDS};
    uint64_t start = microseconds(), end = start + atoi(arguments[2]) * 1000000ull, turn = 0, now;
    uint64_t length = RAMP;
    int next = 0;
    while ((now = microseconds()) < end) {
        // Spread evenly over the period, so that the load does not come in waves.
        for (; next < total && now >= start + turn + next * length / total; next++) act(&all[next]);
        if (next == total) { turn += length; length = PERIOD; next = 0; }
        hear(5);
    }
    tell();
    for (int i = 0; i < total; i++) if (all[i].fd >= 0) close(all[i].fd);
    return 0;
}

// MARK: The normal client

// Reads one answer; only 304s and answers with a Content-Length.
static int answer(int fd) {
    static char bytes[1 << 20];
    size_t count = 0, wanted = 0;
    int status = 0;
    while (!status || count < wanted) {
        ssize_t got = recv(fd, bytes + count, sizeof bytes - 1 - count, 0);
        if (got <= 0) return -1;
        count += got;
        bytes[count] = 0;
        char *end = status ? NULL : strstr(bytes, "\r\n\r\n"), *length;
        if (!end) continue;
        status = atoi(bytes + 9);
        wanted = end + 4 - bytes;
        if (status != 304 && (length = strstr(bytes, "Content-Length: ")) && length < end) wanted += atoi(length + 16);
    }
    return status;
}

static int client(char **arguments) {
    const uint64_t interval = 2000;
    struct sockaddr_in other = address(INADDR_LOOPBACK, atoi(arguments[0]));
    uint64_t end = microseconds() + atoi(arguments[1]) * 1000000ull, due = microseconds();
    char requests[2][1024];
    snprintf(requests[0], 1024, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", arguments[2]);
    snprintf(requests[1], 1024, "GET %s HTTP/1.1\r\nHost: x\r\nIf-None-Match: %s\r\n\r\n", arguments[2], arguments[3]);
    const int wanted[2] = {200, 304};
    uint32_t *times = malloc((end - due) / interval * sizeof *times + 4096);
    // With real-time priority the client never waits for a core, as if it were on a machine of its own.
    bool realtime = !sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){1});
    size_t count = 0;
    long failed = 0;
    int fd = -1;
    for (long number = 0; microseconds() < end; number++, due += interval) {
        uint64_t now = microseconds();
        if (now < due) {
            struct timespec pause = {.tv_nsec = (due - now) * 1000};
            nanosleep(&pause, NULL);
            now = microseconds();
            // A request is late only because of our own sleep.
            due = now;
        }
        // A new connection now and then, so that accepting is measured too.
        if (fd >= 0 && number % 50 == 0) { close(fd); fd = -1; }
        if (fd < 0) {
            fd = socket(AF_INET, SOCK_STREAM, 0);
            struct timeval limit = {.tv_sec = 10};
            setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
            connect(fd, (struct sockaddr *)&other, sizeof other);
        }
        if (say(fd, requests[number % 2]) < 0 || answer(fd) != wanted[number % 2]) {
            failed++;
            close(fd);
            fd = -1;
        }
        times[count++] = microseconds() - due;
    }
    qsort(times, count, sizeof *times, by_size);
    printf("{\"count\": %zu, \"failed\": %ld, \"p50\": %u, \"p99\": %u, \"p999\": %u, \"most\": %u, \"realtime\": %s}\n", count, failed,
           quantile(times, count, 0.5), quantile(times, count, 0.99), quantile(times, count, 0.999),
           quantile(times, count, 1), realtime ? "true" : "false");
    return failed > 0;
}

int main(int count, char **arguments) {
    if (count == 7 && !strcmp(arguments[1], "siege")) return siege(arguments + 2);
    if (count == 6 && !strcmp(arguments[1], "client")) return client(arguments + 2);
    fprintf(stderr, "loris siege PORT CONNECTIONS SECONDS HIT LARGE | loris client PORT SECONDS HIT TAG\n");
    return 2;
}
