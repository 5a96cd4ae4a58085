// SPDX-License-Identifier: Apache-2.0
//
// Quantisation of a JPEG's block by rate and distortion (trellis quantisation; Crouse and Ramchandran 1997). A code of
// JPEG's tells a run of zeros and the length of the number behind it, so a 1 behind many zeros takes ten bits, and leaving
// it out may harm the picture less than taking ten bits from elsewhere. Of all the ways to leave numbers out or to make
// them shorter, dynamic programming finds the one whose squared error plus λ times its bits is least:
//
//     cost[i] = min over j < i of  cost[j] + error of i + λ · bits of i behind j - error of leaving i out
//
// where i counts the numbers that rounding leaves above 0, and a cost is what a way costs more than leaving all of them
// out. λ grows with the block's energy, as errors show less where much goes on. All of it is integers, so that a picture
// has the same bytes on every machine.
#include "Trellis.h"

#include <string.h>

#include "Zigzag.h"

enum {
    // Parts of a step.
    parts = 64,
    // Numbers above it stay: no bits are worth their error.
    most_left_out = 2,
    // Numbers that are left out in a row, at most. It bounds the work on a block of noise.
    longest_gap = 8,
};

// λ by four times the binary logarithm of the block's energy e: what a bit is worth in squared parts of a step, 4,096 /
// 24.5 · (1 + e / 246)^0.4725. The three numbers were found together with the steps of JPEG.c.
static const int32_t lambdas[64] = {
    167, 167, 167, 167, 167, 168, 168, 168, 168, 168, 169, 169, 169, 170, 171, 171,
    172, 173, 174, 176, 178, 179, 182, 184, 188, 191, 196, 201, 206, 213, 220, 229,
    239, 250, 262, 277, 292, 310, 329, 351, 375, 402, 431, 463, 498, 536, 578, 624,
    674, 729, 789, 853, 924, 1001, 1085, 1175, 1274, 1381, 1498, 1625, 1762, 1912, 2074, 2250,
};

// The numbers of a block that rounding leaves above 0, from 1 on, in the order of the zigzag. 0 is the DC coefficient.
typedef struct {
    int count;
    uint8_t places[DCTSIZE2];
    // In parts of a step.
    int32_t sizes[DCTSIZE2];
    int32_t lambda;
    // Of the cheapest way that ends with a number: its cost, the number before it, and what the number is in it.
    int32_t cost[DCTSIZE2];
    uint8_t before[DCTSIZE2];
    int16_t chosen[DCTSIZE2];
    // The least cost up to a number, from the last on that stays.
    int32_t least[DCTSIZE2];
} ways;

static int32_t rounded(int32_t size) { return (size + parts / 2) / parts; }

static int32_t square(int32_t value) { return value * value; }

static int32_t lesser(int32_t one, int32_t other) { return one < other ? one : other; }

void ctrellis_prepare(ctrellis *trellis, const UINT16 steps[DCTSIZE2], const JHUFF_TBL *codes) {
    for (int i = 0; i < DCTSIZE2; i++) {
        uint32_t step = steps[i] > 0 ? steps[i] : 1;
        uint32_t reciprocal = (parts * 1024 + step / 2) / step;
        trellis->reciprocal[i] = (uint16_t)(reciprocal < UINT16_MAX ? reciprocal : UINT16_MAX);
    }
    // No code is longer. Those that are missing are of no use to a picture of 8 bits.
    for (int i = 0; i < 256; i++) trellis->rate[i] = 16 + (i & 15);
    int next = 0;
    for (int length = 1; length <= 16; length++) {
        for (int i = 0; i < codes->bits[length] && next < 256; i++, next++) {
            int symbol = codes->huffval[next];
            trellis->rate[symbol] = length + (symbol & 15);
        }
    }
    for (int i = 0; i < 16; i++) trellis->least_rate[i] = trellis->rate[i];
    for (int i = 16; i < 256; i++) trellis->least_rate[i & 15] = lesser(trellis->least_rate[i & 15], trellis->rate[i]);
}

// By the power of two below the energy, and the quarter of the way to the next one.
static int32_t lambda_of(uint32_t energy) {
    int length = czigzag_length((int)(energy | 1));
    int quarters = (int)((length > 2 ? energy >> (length - 3) : energy << (3 - length)) & 3);
    int index = 4 * (length - 1) + quarters;
    return lambdas[index < 64 ? index : 63];
}

// Returns the DC coefficient's number, without its sign.
static int32_t gather(const ctrellis *trellis, const JCOEF block[DCTSIZE2], ways *ways) {
    int32_t sizes[DCTSIZE2];
    uint8_t is_above[DCTSIZE2];
    uint32_t energy = 0;
    for (int i = 0; i < DCTSIZE2; i++) {
        uint16_t size = (uint16_t)(block[i] < 0 ? -block[i] : block[i]);
        energy += (uint32_t)(block[i] * block[i]);
        sizes[i] = (int32_t)(((uint32_t)size * trellis->reciprocal[i] + 512) >> 10);
        is_above[i] = sizes[i] >= parts / 2;
    }
    energy -= (uint32_t)(block[0] * block[0]);
    ways->lambda = lambda_of(energy / DCTSIZE2 + 1);
    ways->places[0] = 0;
    int next = 1;
    for (uint64_t places = czigzag_places(is_above); places; places &= places - 1, next++) {
        int k = __builtin_ctzll(places);
        ways->places[next] = (uint8_t)k;
        ways->sizes[next] = sizes[czigzag_order[k]];
    }
    ways->count = next - 1;
    return rounded(sizes[0]);
}

// The cheapest way that ends with the number i, of those that go on from `first` or from one behind it.
static void find_way(const ctrellis *trellis, ways *ways, int i, int first, bool stays) {
    int32_t size = ways->sizes[i], number = rounded(size), lambda = ways->lambda;
    int length = czigzag_length(number);
    // Nobody asks what it would cost to leave out one that stays.
    int32_t left_out = stays ? 0 : square(size);
    // The longest of the numbers that are one bit shorter, if the size lies between the two.
    bool can_shrink = number > 1 && (number & (number - 1)) == 0 && size < number * parts;
    int32_t error = square(size - number * parts) - left_out;
    int32_t other_error = can_shrink ? square(size - (number - 1) * parts) - left_out : 0;
    int32_t bound = error + lambda * trellis->least_rate[length];
    if (can_shrink) bound = lesser(bound, other_error + lambda * trellis->least_rate[length - 1]);
    int32_t least = INT32_MAX;
    for (int j = i - 1; j >= first; j--) {
        // The ways from here and from before cost more.
        if (least <= ways->least[j] + bound) break;
        int run = ways->places[i] - ways->places[j] - 1;
        const int32_t *rates = trellis->rate + ((run & 15) << 4);
        int32_t base = ways->cost[j] + lambda * (run >> 4) * trellis->rate[0xf0];
        int32_t cost = base + error + lambda * rates[length];
        int32_t other = can_shrink ? base + other_error + lambda * rates[length - 1] : INT32_MAX;
        if (lesser(other, cost) < least) {
            least = lesser(other, cost);
            ways->before[i] = (uint8_t)j;
            ways->chosen[i] = (int16_t)(other < cost ? number - 1 : number);
        }
    }
    ways->cost[i] = least;
    ways->least[i] = stays ? least : lesser(least, ways->least[i - 1]);
}

// The last number of the cheapest way.
static int find_ways(const ctrellis *trellis, ways *ways) {
    ways->cost[0] = ways->least[0] = 0;
    int first = 0;
    for (int i = 1; i <= ways->count; i++) {
        bool stays = rounded(ways->sizes[i]) > most_left_out;
        find_way(trellis, ways, i, first, stays);
        if (stays) {
            first = i;
        } else if (i - first > longest_gap) {
            first = i - longest_gap;
        }
    }
    int last = first;
    int32_t least = INT32_MAX;
    for (int i = first; i <= ways->count; i++) {
        bool ends = ways->places[i] < DCTSIZE2 - 1;
        int32_t cost = ways->cost[i] + (ends ? ways->lambda * trellis->rate[0] : 0);
        if (cost < least) {
            least = cost;
            last = i;
        }
    }
    return last;
}

void ctrellis_quantise(const ctrellis *trellis, JCOEF block[DCTSIZE2]) {
    ways ways;
    int32_t dc = gather(trellis, block, &ways);
    JCOEF result[DCTSIZE2] = {(JCOEF)(block[0] < 0 ? -dc : dc)};
    for (int i = find_ways(trellis, &ways); i > 0; i = ways.before[i]) {
        int at = czigzag_order[ways.places[i]];
        result[at] = (JCOEF)(block[at] < 0 ? -ways.chosen[i] : ways.chosen[i]);
    }
    memcpy(block, result, sizeof result);
}
