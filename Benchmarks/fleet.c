// SPDX-License-Identifier: Apache-2.0
//
// A simulated fleet: nodes with caches that drop the least recently used entry, a store behind them, and clients that ask for URLs by
// Zipf's law. fleet.py builds and runs it: fleet MODE NODES URLS CAPACITY REQUESTS EXPONENT SEED
//
// MODE 0 hashes each URL to one node; 1 does so with bounded loads; 2 is round robin; 3 is round robin with a store behind the nodes. The
// first half of the requests warms the caches. Prints, of the second half: requests, hits at nodes, hits in the store, fetches from
// origins, and the busiest node's requests over the mean.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { HASHED, BOUNDED, ROUND, ROUND_WITH_STORE };

static uint64_t random_state;

static uint64_t next_random(void) {  // splitmix64, Steele and others 2014
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
    return x ^ (x >> 33);
}

static double chance(void) { return (double)(next_random() >> 11) * 0x1p-53; }

// MARK: Zipf's law by rejection-inversion (Hörmann and Derflinger 1996)

static double exponent, integral_first, integral_last;
static uint32_t urls;

static double integral(double x) { return exponent == 1 ? log(x) : (pow(x, 1 - exponent) - 1) / (1 - exponent); }
static double inverse(double y) { return exponent == 1 ? exp(y) : pow(1 + y * (1 - exponent), 1 / (1 - exponent)); }

static uint32_t next_rank(void) {
    for (;;) {
        double y = integral_first + chance() * (integral_last - integral_first);
        double x = inverse(y), rank = floor(x + 0.5);
        if (rank < 1) rank = 1;
        if (rank > urls) rank = urls;
        if (y >= integral(rank + 0.5) - pow(rank, -exponent)) return (uint32_t)rank - 1;
    }
}

// MARK: Caches: one table for all nodes, and a list for each, from the latest used to the oldest

static uint32_t nodes, capacity, table_mask;
static uint32_t *table, *entry_url, *newer, *older, *latest, *oldest, *used;
#define NONE UINT32_MAX

static uint32_t place(uint32_t node, uint32_t url) { return (uint32_t)mixed((uint64_t)node << 32 | url) & table_mask; }

static uint32_t find(uint32_t node, uint32_t url) {
    for (uint32_t at = place(node, url);; at = (at + 1) & table_mask) {
        if (table[at] == NONE) return NONE;
        if (entry_url[table[at]] == url && table[at] / capacity == node) return table[at];
    }
}

static void erase(uint32_t entry) {
    uint32_t node = entry / capacity, hole = place(node, entry_url[entry]);
    while (table[hole] != entry) hole = (hole + 1) & table_mask;
    for (uint32_t at = (hole + 1) & table_mask; table[at] != NONE; at = (at + 1) & table_mask) {
        uint32_t wanted = place(table[at] / capacity, entry_url[table[at]]);
        if (((at - wanted) & table_mask) >= ((at - hole) & table_mask)) {
            table[hole] = table[at];
            hole = at;
        }
    }
    table[hole] = NONE;
}

static void unlink_entry(uint32_t node, uint32_t entry) {
    if (newer[entry] != NONE) older[newer[entry]] = older[entry]; else latest[node] = older[entry];
    if (older[entry] != NONE) newer[older[entry]] = newer[entry]; else oldest[node] = newer[entry];
}

static void link_latest(uint32_t node, uint32_t entry) {
    newer[entry] = NONE;
    older[entry] = latest[node];
    if (latest[node] != NONE) newer[latest[node]] = entry; else oldest[node] = entry;
    latest[node] = entry;
}

/// True for a hit; keeps the URL in any case.
static int take(uint32_t node, uint32_t url) {
    uint32_t entry = find(node, url);
    int is_hit = entry != NONE;
    if (is_hit) {
        unlink_entry(node, entry);
    } else {
        if (used[node] < capacity) {
            entry = node * capacity + used[node]++;
        } else {
            entry = oldest[node];
            unlink_entry(node, entry);
            erase(entry);
        }
        entry_url[entry] = url;
        uint32_t at = place(node, url);
        while (table[at] != NONE) at = (at + 1) & table_mask;
        table[at] = entry;
    }
    link_latest(node, entry);
    return is_hit;
}

static void *filled(size_t count, int byte) {
    void *memory = malloc(count * 4);
    if (!memory) { fputs("no memory\n", stderr); exit(1); }
    memset(memory, byte, count * 4);
    return memory;
}

int main(int count, char **words) {
    if (count != 8) return 2;
    enum mode mode = (enum mode)atoi(words[1]);
    nodes = (uint32_t)atol(words[2]);
    urls = (uint32_t)atol(words[3]);
    capacity = (uint32_t)atol(words[4]);
    uint64_t requests = strtoull(words[5], NULL, 10);
    exponent = atof(words[6]);
    random_state = strtoull(words[7], NULL, 10);
    integral_first = integral(1.5) - 1;
    integral_last = integral(urls + 0.5);

    size_t entries = (size_t)nodes * capacity, slots = 1;
    while (slots < entries * 2) slots *= 2;
    table_mask = (uint32_t)(slots - 1);
    table = filled(slots, 0xff);
    entry_url = filled(entries, 0), newer = filled(entries, 0xff), older = filled(entries, 0xff);
    latest = filled(nodes, 0xff), oldest = filled(nodes, 0xff), used = filled(nodes, 0);
    uint8_t *stored = calloc(urls / 8 + 1, 1);
    uint32_t *load = filled(nodes, 0);
    uint64_t *total = calloc(nodes, sizeof *total);
    if (!stored || !total) return 1;

    // Bounded loads: within a window of the latest requests, a node takes at most one and a half times its
    // share.
    const uint64_t window = (uint64_t)nodes * 100;
    uint64_t hits = 0, shared = 0, fetched = 0;
    for (uint64_t number = 0; number < requests; number++) {
        uint32_t url = next_rank(), node;
        if (mode == HASHED || mode == BOUNDED) {
            node = (uint32_t)(mixed(url + 1) % nodes);
            if (mode == BOUNDED) {
                if (number % window == 0) memset(load, 0, nodes * sizeof *load);
                while (load[node] >= 150) node = (node + 1) % nodes;
                load[node]++;
            }
        } else {
            node = (uint32_t)(next_random() % nodes);
        }
        int is_hit = take(node, url);
        int is_stored = stored[url / 8] >> (url % 8) & 1;
        stored[url / 8] |= (uint8_t)(1 << (url % 8));
        if (number < requests / 2) continue;
        total[node]++;
        if (is_hit) hits++;
        else if (mode == ROUND_WITH_STORE && is_stored) shared++;
        else fetched++;
    }
    uint64_t most = 0;
    for (uint32_t node = 0; node < nodes; node++) if (total[node] > most) most = total[node];
    printf("%llu %llu %llu %llu %.2f\n", (unsigned long long)(requests - requests / 2), (unsigned long long)hits, (unsigned long long)shared,
           (unsigned long long)fetched, (double)most * nodes / (double)(requests - requests / 2));
    return 0;
}
