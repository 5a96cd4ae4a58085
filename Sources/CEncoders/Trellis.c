// SPDX-License-Identifier: Apache-2.0
//
// Rate-distortion quantisation of a JPEG's block (trellis quantisation; Crouse and Ramchandran 1997). A JPEG symbol
// encodes a run of zeros and the length of the next number, so a 1 after many zeros takes ten bits. Leaving the 1 out may
// harm the picture less than saving ten bits elsewhere. Among all ways to leave numbers out or to make them shorter,
// dynamic programming finds the one with the least squared error + λ · bits:
//
//     cost[i] = min over j of  cost[j] + error of i + λ · bits of i behind j - error of leaving i out
//
// where i counts the numbers that rounding leaves above 0, and j is one of the three before i. A cost is relative to
// leaving all numbers out. (Looking back further than three saves 0.06 % of the bytes and takes a tenth longer.) λ grows
// with the block's energy, because errors are less visible in busy blocks. The code uses integers only, so that a picture
// has the same bytes on every machine, and few branches, because nothing predicts which number is left out.
#include "Trellis.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "Zigzag.h"

enum {
    // The fixed-point unit: 64 parts of a quantisation step.
    parts = 64,
    // Larger numbers are never left out, because no saved bits are worth their error.
    most_left_out = 2,
    // More than any way costs, yet small enough that sums stay below 2^31.
    unreachable = 1 << 28,
    // Costs are in eighths of a squared part. The lowest bits of a cost hold how many numbers before it are left
    // out.
    eighths = 8,
    lowest_bits = eighths - 1,
    // A flag in `kept`: the number is one less than rounding makes it.
    is_shorter = eighths,
};

// λ, the value of a bit in squared parts of a step: 4,096 / 24.5 · (1 + e / 246)^0.4725 for a block's energy e. The
// index is four times the binary logarithm of e. The three constants were found together with the steps in JPEG.c.
static const int32_t lambdas[64] = {
    167, 167, 167, 167, 167, 168, 168, 168, 168, 168, 169, 169, 169, 170, 171, 171,
    172, 173, 174, 176, 178, 179, 182, 184, 188, 191, 196, 201, 206, 213, 220, 229,
    239, 250, 262, 277, 292, 310, 329, 351, 375, 402, 431, 463, 498, 536, 578, 624,
    674, 729, 789, 853, 924, 1001, 1085, 1175, 1274, 1381, 1498, 1625, 1762, 1912, 2074, 2250,
};

static int32_t rounded(int32_t size) { return (size + parts / 2) / parts; }

static int32_t square(int32_t value) { return value * value; }

static int32_t lesser(int32_t one, int32_t other) { return one < other ? one : other; }

void ctrellis_prepare(ctrellis *trellis, const UINT16 steps[DCTSIZE2], const JHUFF_TBL *codes) {
    for (int i = 0; i < DCTSIZE2; i++) {
        uint32_t step = steps[i] > 2 ? steps[i] : 2;
        uint32_t reciprocal = (parts * 2048 + step / 2) / step;
        trellis->reciprocal[i] = (uint16_t)(reciprocal < UINT16_MAX ? reciprocal : UINT16_MAX);
    }
    // A code has at most 16 bits, which is assumed for symbols without a code; pictures of 8 bits never use
    // them.
    int32_t rate[256];
    for (int i = 0; i < 256; i++) rate[i] = 16 + (i & 15);
    int next = 0;
    for (int length = 1; length <= 16; length++) {
        for (int i = 0; i < codes->bits[length] && next < 256; i++, next++) {
            int symbol = codes->huffval[next];
            rate[symbol] = length + (symbol & 15);
        }
    }
    for (int run = 0; run < DCTSIZE2 - 1; run++) {
        for (int length = 0; length < 16; length++) {
            trellis->rate[16 * (run + 1) + length] = (run >> 4) * rate[0xf0] + rate[(run & 15) << 4 | length];
        }
    }
    trellis->end = rate[0];
}

// The index consists of the power of two below the energy, and the quarter of the way to the next power.
static int32_t lambda_of(uint32_t energy) {
    int length = czigzag_length((int)(energy | 1));
    int quarters = (int)((length > 2 ? energy >> (length - 3) : energy << (3 - length)) & 3);
    int index = 4 * (length - 1) + quarters;
    return lambdas[index < 64 ? index : 63];
}

// Computes the sizes of the coefficients in parts of a step. Returns the places of the AC coefficients that
// rounding leaves above 0; see czigzag_places.
static uint64_t measure(const ctrellis *trellis, const JCOEF block[DCTSIZE2], uint16_t sizes[DCTSIZE2]) {
    for (int i = 0; i < DCTSIZE2; i++) {
        uint16_t size = (uint16_t)((uint16_t)(block[i] < 0 ? -block[i] : block[i]) << 6);
        uint16_t twice = (uint16_t)((uint32_t)size * trellis->reciprocal[i] >> 16);
        sizes[i] = (uint16_t)(twice + 1) >> 1;
    }
    uint8_t is_above[DCTSIZE2];
    for (int i = 0; i < DCTSIZE2; i++) is_above[i] = sizes[i] >= parts / 2;
    // The DC coefficient of a black block, −1,024, has one bit more than the 16-bit arithmetic above has room
    // for.
    uint32_t twice = ((uint32_t)abs(block[0]) << 6) * trellis->reciprocal[0] >> 16;
    sizes[0] = (uint16_t)((twice + 1) >> 1);
    return czigzag_places(is_above);
}

static uint32_t mean_energy(const JCOEF block[DCTSIZE2]) {
    int32_t energy = 0;
    for (int i = 0; i < DCTSIZE2; i++) energy += block[i] * block[i];
    return (uint32_t)(energy - block[0] * block[0]) / DCTSIZE2 + 1;
}

// The ways that can be continued: those whose last kept number is the latest number, the one before it, and the one
// before that. Each has its cost, with the lowest bits 0, 1 or 2, and the place of its last number, times 16.
typedef struct {
    int32_t cost_0, cost_1, cost_2;
    ptrdiff_t at_0, at_1, at_2;
} ways;

// The least cost of continuing one of the ways with a new number. The index is 16 times the number's place,
// plus its length.
static inline int32_t cheapest(const ways *ways, ptrdiff_t index, const int32_t *rate, int32_t lambda) {
    int32_t cost_2 = ways->cost_2 + lambda * rate[index - ways->at_2];
    int32_t cost_1 = ways->cost_1 + lambda * rate[index - ways->at_1];
    int32_t cost_0 = ways->cost_0 + lambda * rate[index - ways->at_0];
    return lesser(lesser(cost_2, cost_1), cost_0);
}

// Adds a number. If the number must be kept, no way may skip it.
static inline void go_on(ways *ways, int32_t cost, ptrdiff_t at, bool stays) {
    ways->cost_2 = stays ? unreachable : ways->cost_1 + 1;
    ways->cost_1 = stays ? unreachable : ways->cost_0 + 1;
    ways->cost_0 = cost;
    ways->at_2 = ways->at_1;
    ways->at_1 = ways->at_0;
    ways->at_0 = at;
}

void ctrellis_quantise(const ctrellis *trellis, JCOEF block[DCTSIZE2]) {
    uint16_t sizes[DCTSIZE2];
    uint64_t places = measure(trellis, block, sizes);
    int32_t lambda = eighths * lambda_of(mean_energy(block));

    // For each number: its coefficient's index, and, on the cheapest way, how many numbers before it are left out and
    // whether it is shorter.
    uint8_t coefficients[DCTSIZE2], kept[DCTSIZE2];
    // Every way begins with the DC coefficient, at place 0.
    ways ways = {0, unreachable, unreachable, 0, 0, 0};
    // The cheapest way that may end the block, and the index of its last number.
    int32_t least = 0;
    int last = 0, place = 0, count = 0;
    for (; places; places &= places - 1) {
        place = __builtin_ctzll(places);
        coefficients[++count] = czigzag_order[place];
        int32_t size = sizes[coefficients[count]], number = rounded(size), floor = size / parts;
        bool stays = number > most_left_out;
        ptrdiff_t index = place * 16 + czigzag_length(number);
        // If the number is kept anyway, the cost of leaving it out does not matter.
        int32_t error = size - number * parts, left_out = stays ? 0 : square(size);
        int32_t cost = cheapest(&ways, index, trellis->rate, lambda) + eighths * (square(error) - left_out);
        int shorter = 0;
        // The number below is a bit shorter if rounding went up to a power of two above 1.
        if (__builtin_expect(((floor & number) | (floor == 0)) == 0, 0)) {
            int32_t other = cheapest(&ways, index - 1, trellis->rate, lambda);
            other += eighths * (square(error + parts) - left_out);
            if (other < cost) cost = other, shorter = is_shorter;
        }
        kept[count] = (uint8_t)(shorter | (cost & lowest_bits));
        cost &= ~lowest_bits;
        go_on(&ways, cost, 16 * place, stays);
        bool ends = stays | (cost < least);
        least = ends ? cost : least;
        last = ends ? count : last;
    }
    // A block that ends at the last place has no end-of-block symbol, which makes that end cheaper.
    if (place == DCTSIZE2 - 1 && ways.cost_0 < least + lambda * trellis->end) last = count;

    int32_t dc = rounded(sizes[0]);
    JCOEF result[DCTSIZE2] = {(JCOEF)(block[0] < 0 ? -dc : dc)};
    for (int i = last; i > 0; i -= 1 + (kept[i] & lowest_bits)) {
        int at = coefficients[i];
        int32_t number = rounded(sizes[at]) - kept[i] / is_shorter;
        result[at] = (JCOEF)(block[at] < 0 ? -number : number);
    }
    memcpy(block, result, sizeof result);
}
