// SPDX-License-Identifier: Apache-2.0
//
// load NAME=VALUE … SOURCE …: asks a daemon for pictures that it must render, and at the same time for one that it holds.
//
// One thread waits in epoll. Requests are due at random times (exponential gaps, from a seed). Every latency counts from
// the time when the request was due, not from when it was sent. So a client that falls behind makes its figures worse and
// never better; how far it fell behind is printed ("lag").
//
//   port, seconds, seed
//   clients=N   so many ask for new pictures, each as soon as it has its answer; or
//   rate=N      so many requests for new pictures a second, whatever becomes of them
//   patience=S  after which a client hangs up
//   probes=N    requests a second for a 200 from what is held, and as many for its 304
//   held=TARGET tag=ENTITY-TAG
//   first=N     number of the first new picture; each has a URL of its own, and a size that its number draws
//   usual=US    afterwards one client asks until an answer takes no longer; how long until then is told
//
// Connections are kept alive and taken from a pool, as those of a CDN are. Writes one JSON object.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { NEW, HIT, SAME, KINDS };
enum { CONNECTIONS = 16384, SAMPLES = 1 << 20, HEAD = 4096, TICK = 100000 };

struct connection {
    int socket, kind;
    bool busy;
    int64_t due;
    size_t received, expected;  // expected: of the whole answer, once its head is there
    int status;
    char head[HEAD];
};

struct samples {
    int64_t *values;
    size_t count;
};

static struct connection *connections[CONNECTIONS];
static int used, pool[KINDS][CONNECTIONS], pooled[KINDS];
static int epoll, port;
static unsigned clients, number;
static double seconds, rate, probes, patience = 10, usual;
static const char *held, *tag;
static char **sources;
static int source_count;
static struct samples latency[KINDS], lag;
static long sent[KINDS], opened, wrong[KINDS], statuses[600], late, hung_up, refused_without_retry;
static int64_t begin, end, recovered = -1, recovery_asked;
static bool recovering;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void record(struct samples *samples, int64_t value) {
    if (!samples->values && !(samples->values = malloc(SAMPLES * sizeof value))) die("malloc");
    if (samples->count < SAMPLES) samples->values[samples->count++] = value;
}

// MARK: Connections

static int open_connection(int kind) {
    if (used == CONNECTIONS) return -1;
    struct connection *it = calloc(1, sizeof *it);
    it->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    // On the same machine, connect(2) waits no longer than the kernel needs to find the listener.
    if (it->socket < 0 || connect(it->socket, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(it->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    it->kind = kind;
    connections[used] = it;
    struct epoll_event event = {EPOLLIN, {.u32 = used}};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, it->socket, &event)) die("epoll_ctl");
    opened++;
    return used++;
}

static void hang_up(int slot) {
    struct connection *it = connections[slot];
    close(it->socket);
    free(it);
    connections[slot] = NULL;
    // Slots are not reused: there are enough for one run, so an event never meets another connection.
}

// New pictures use any free connection. Probes take turns, so that each of the daemon's loops is asked.
static int take(int kind) {
    if (!pooled[kind]) return open_connection(kind);
    if (kind == NEW) return pool[kind][--pooled[kind]];
    int slot = pool[kind][0];
    memmove(pool[kind], pool[kind] + 1, --pooled[kind] * sizeof slot);
    return slot;
}

static void send_request(int kind, int64_t due) {
    int slot = take(kind);
    if (slot < 0) {
        wrong[kind]++;
        return;
    }
    char text[2048];
    int length;
    if (kind == NEW) {
        // Sizes are random, so that later pictures cost as much as earlier ones.
        unsigned n = number++, drawn = n * 2654435761u;
        length = snprintf(
            text, sizeof text,
            "GET /img?url=%s%%3Fn%%3D%u&w=%u&h=%u&fit=cover&output=jpg HTTP/1.1\r\nHost: localhost\r\n\r\n",
            sources[n % source_count], n, 300 + (drawn >> 8) % 400, 100 + (drawn >> 20) % 400);
    } else {
        length = snprintf(
            text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s%s%s\r\n", held,
            kind == SAME ? "If-None-Match: " : "", kind == SAME ? tag : "", kind == SAME ? "\r\n" : "");
    }
    struct connection *it = connections[slot];
    it->busy = true;
    it->due = due;
    it->received = it->expected = 0;
    int64_t moment = now();
    bool follows = clients && kind == NEW;
    if (moment < end && !follows) record(&lag, moment - due);
    sent[kind]++;
    if (write(it->socket, text, length) != length) die("write");
}

// MARK: Answers

static void answered(int slot, int64_t moment) {
    struct connection *it = connections[slot];
    int kind = it->kind;
    int64_t took = moment - it->due;
    bool in_time = moment <= end;
    if (kind == NEW) {
        if (in_time) statuses[it->status]++, record(&latency[kind], it->status == 200 ? took : -1);
        else late++;
        if (recovering && it->due == recovery_asked) {
            if (it->status == 200 && took <= usual) recovered = moment - end;
            recovery_asked = 0;
        }
    } else if (it->status != (kind == HIT ? 200 : 304)) {
        wrong[kind]++;
    } else if (in_time) {
        record(&latency[kind], took);
    }
    it->busy = false;
    pool[kind][pooled[kind]++] = slot;
    if (kind == NEW && clients && in_time) send_request(NEW, moment);
}

static void parse_head(struct connection *it) {
    size_t known = it->received < HEAD ? it->received : HEAD;
    char *stop = memmem(it->head, known, "\r\n\r\n", 4);
    if (!stop) return;
    *stop = 0;
    it->status = atoi(it->head + 9);
    if (it->status < 100 || it->status > 599) exit(2);
    char *length = strcasestr(it->head, "\r\nContent-Length:");
    if (it->status == 503 && !strcasestr(it->head, "\r\nRetry-After:")) refused_without_retry++;
    it->expected = stop + 4 - it->head + (it->status == 304 || !length ? 0 : atol(length + 17));
}

static void receive(int slot) {
    static char bin[65536];
    struct connection *it = connections[slot];
    bool in_head = !it->expected && it->received < HEAD;
    ssize_t count = in_head ? recv(it->socket, it->head + it->received, HEAD - it->received, 0)
                            : recv(it->socket, bin, sizeof bin, 0);
    if (count <= 0) {
        // The daemon may close a connection between two answers, but not within one.
        if (it->busy) wrong[it->kind]++;
        for (int i = 0; i < pooled[it->kind]; i++) {
            if (pool[it->kind][i] != slot) continue;
            memmove(pool[it->kind] + i, pool[it->kind] + i + 1, (--pooled[it->kind] - i) * sizeof slot);
        }
        hang_up(slot);
        return;
    }
    it->received += count;
    if (!it->expected) parse_head(it);
    if (it->expected && it->received >= it->expected) answered(slot, now());
}

static int hang_up_the_impatient(int64_t moment) {
    int waiting = 0;
    for (int slot = 0; slot < used; slot++) {
        struct connection *it = connections[slot];
        if (!it || !it->busy || it->kind != NEW) continue;
        if (moment - it->due <= patience * 1e6) {
            waiting++;
            continue;
        }
        if (it->due == recovery_asked) recovery_asked = 0;
        hung_up++;
        hang_up(slot);
    }
    return waiting;
}

// MARK: Time

static int64_t after(int64_t time, double per_second) { return time + (int64_t)(-log(1 - drand48()) * 1e6 / per_second); }

static void wait_until(int64_t time) {
    struct epoll_event events[256];
    int64_t left = time - now();
    if (left < 0) left = 0;
    struct timespec timeout = {left / 1000000, left % 1000000 * 1000};
    int count = epoll_pwait2(epoll, events, 256, &timeout, NULL);
    if (count < 0 && errno != EINTR) die("epoll_pwait2");
    for (int i = 0; i < count; i++) {
        if (connections[events[i].data.u32]) receive(events[i].data.u32);
    }
}

static void run(void) {
    const double rates[KINDS] = {rate, probes, probes};
    int64_t due[KINDS], check = 0;
    for (int kind = HIT; kind < KINDS; kind++) {
        for (int i = 0; probes > 0 && i < 16; i++) pool[kind][pooled[kind]++] = open_connection(kind);
    }
    begin = now(), end = begin + (int64_t)(seconds * 1e6);
    for (int kind = 0; kind < KINDS; kind++) due[kind] = rates[kind] > 0 ? after(begin, rates[kind]) : INT64_MAX;
    for (unsigned i = 0; i < clients; i++) send_request(NEW, begin);
    for (;;) {
        int64_t moment = now(), next = end;
        if (moment >= end) break;
        for (int kind = 0; kind < KINDS; kind++) {
            while (due[kind] <= moment) {
                send_request(kind, due[kind]);
                due[kind] = after(due[kind], rates[kind]);
            }
            if (due[kind] < next) next = due[kind];
        }
        if (moment >= check) hang_up_the_impatient(moment), check = moment + TICK;
        wait_until(next < check ? next : check);
    }
}

// Waiting clients go on waiting; besides, one client asks again and again until it is served as usual.
static void recover(void) {
    recovering = usual > 0;
    int64_t limit = end + (int64_t)(patience * 1e6) + TICK, next = end;
    for (;;) {
        int64_t moment = now();
        bool done = !recovering || recovered >= 0;
        if (moment > limit || (!hang_up_the_impatient(moment) && done)) return;
        if (!done && !recovery_asked && moment >= next) {
            recovery_asked = moment, next = moment + TICK / 2;
            send_request(NEW, recovery_asked);
        }
        wait_until(now() + TICK / 10);
    }
}

// MARK: The report

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, struct samples *samples) {
    int64_t *values = samples->values;
    size_t skip = 0, count = samples->count;
    if (count) qsort(values, count, sizeof *values, ascending);
    while (skip < count && values[skip] < 0) skip++;
    values += skip, count -= skip;
#define AT(share) (count ? (long)values[(size_t)((count - 1) * (share))] : 0)
    printf(
        "\"%s\": {\"count\": %zu, \"p50\": %ld, \"p90\": %ld, \"p99\": %ld, \"max\": %ld}, ", name, count, AT(0.5),
        AT(0.9), AT(0.99), AT(1));
}

static void set(const char *name, const char *value) {
    struct {
        const char *name;
        double *number;
    } numbers[] = {{"seconds", &seconds}, {"rate", &rate}, {"probes", &probes}, {"patience", &patience}, {"usual", &usual}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!strcmp(name, numbers[i].name)) *numbers[i].number = atof(value);
    }
    if (!strcmp(name, "port")) port = atoi(value);
    if (!strcmp(name, "seed")) srand48(atol(value));
    if (!strcmp(name, "clients")) clients = atoi(value);
    if (!strcmp(name, "first")) number = atoi(value);
    if (!strcmp(name, "held")) held = value;
    if (!strcmp(name, "tag")) tag = value;
}

int main(int count, char **arguments) {
    int first = 1;
    for (char *sign; first < count && (sign = strchr(arguments[first], '=')); first++) {
        *sign = 0;
        set(arguments[first], sign + 1);
    }
    sources = arguments + first, source_count = count - first;
    if (!port || !source_count || seconds <= 0) return 2;
    // With real-time priority the client never waits for a core, as if it were on a machine of its own. If it
    // is not granted, the lag shows it.
    bool realtime = !sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){1});
    epoll = epoll_create1(EPOLL_CLOEXEC);
    run();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    long asked = sent[NEW], probed = sent[HIT] + sent[SAME];
    recover();

    printf("{");
    report("new", &latency[NEW]), report("hits", &latency[HIT]), report("304s", &latency[SAME]), report("lag", &lag);
    printf("\"statuses\": {");
    for (int status = 0, comma = 0; status < 600; status++) {
        if (statuses[status]) printf("%s\"%d\": %ld", comma++ ? ", " : "", status, statuses[status]);
    }
    printf(
        "}, \"asked\": %ld, \"probed\": %ld, \"late\": %ld, \"hung_up\": %ld, \"without_retry\": %ld, \"wrong\": [%ld, %ld, %ld], "
        "\"connections\": %ld, \"next\": %u, \"recovery\": %.3f, \"cpu\": %.3f, \"realtime\": %s}\n",
        asked, probed, late, hung_up, refused_without_retry, wrong[NEW], wrong[HIT], wrong[SAME], opened, number,
        recovered / 1e6, cpu, realtime ? "true" : "false");
    return 0;
}
