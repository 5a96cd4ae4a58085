// SPDX-License-Identifier: Apache-2.0
//
// Holds CPlanar's kernels to plain loops over random inputs, to the byte: kernels SEED ROUNDS
//
// The loops are written from what CPlanar.h and Sources/Planar/Kernels say, one sample at a time. Memory that a kernel may
// not write is watched. scripts/kernels builds this for the machine that it runs on, and for ARM of 64 bits.
#include "CPlanar.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: Random numbers (SplitMix64)

static uint64_t state;

static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static int between(int least, int most) { return least + (int)(next() % (uint64_t)(most - least + 1)); }

// MARK: Plain loops. Sums wrap.

static int32_t shifted(uint32_t sum, int bits) { return (int32_t)sum >> bits; }
static int clamped(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

// Of one dimension, what each frequency adds to each result, times 2^13 of 8 and of 2^14 of less: the upper half of the
// results is the lower with the odd frequencies' signs changed.
static const int weights8[4][8] = {
    {8192, 11363, 10703, 9633, 8192, 6437, 4433, 2260}, {8192, 9633, 4433, -2259, -8192, -11362, -10704, -6436},
    {8192, 6437, -4433, -11362, -8192, 2261, 10704, 9633}, {8192, 2260, -10703, -6436, 8192, 9633, -4433, -11363}};
static const int weights4[2][8] = {
    {16384, 20995, 15137, 7373, 0, -4926, -6270, -4176}, {16384, 8697, -15137, -17799, 0, 11893, 6270, -1730}};
static const int weights2[1][8] = {{32768, 29692, 0, -10426, 0, 6967, 0, -5906}};

static uint32_t result(const int *in, int at, int side) {
    int from = at < side / 2 ? at : side - 1 - at;
    const int *weights = side == 8 ? weights8[from] : side == 4 ? weights4[from] : weights2[from];
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t product = (uint32_t)in[i] * (uint32_t)weights[i];
        sum += at >= side / 2 && i % 2 ? -product : product;
    }
    return sum;
}

static void inverse(const int16_t *c, int side, uint8_t *out, ptrdiff_t stride) {
    int first = side == 8 ? 11 : side == 4 ? 12 : 13, second = first + 7;
    int kept[8][8];
    for (int x = 0; x < 8; x++) {
        int column[8];
        for (int y = 0; y < 8; y++) column[y] = c[8 * y + x];
        for (int y = 0; y < side; y++) {
            uint32_t sum = result(column, y, side) + (1u << (first - 1));
            kept[y][x] = clamped(shifted(sum, first), -32768, 32767);
        }
    }
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            uint32_t sum = result(kept[y], x, side) + (1u << (second - 1)) + (128u << second);
            out[y * stride + x] = (uint8_t)clamped(shifted(sum, second), 0, 255);
        }
    }
}

static void down(const cplanar_rows *rows, const cplanar_filter *filter, int16_t *out, int width) {
    for (int x = 0; x < width; x++) {
        int32_t sum = 128;
        for (int i = 0; i < filter->taps; i++) {
            sum += rows->samples[(rows->first + i) % rows->count * rows->stride + x] * filter->weights[i];
        }
        out[x] = (int16_t)clamped(sum >> 8, -32768, 32767);
    }
}

static void across(const int16_t *in, const cplanar_filter *filter, int16_t *out, int width) {
    for (int x = 0; x < width; x++) {
        uint32_t sum = 1u << 13;
        for (int i = 0; i < filter->taps; i++) {
            sum += (uint32_t)(in[filter->starts[x] + i] * filter->weights[x * filter->taps + i]);
        }
        out[x] = (int16_t)clamped(shifted(sum, 14), -32768, 32767);
    }
}

static void rgb(const int16_t *y, const int16_t *cb, const int16_t *cr, uint8_t *out, int width) {
    for (int x = 0; x < width; x++, out += 3) {
        uint32_t light = ((uint32_t)y[x] << 14) + (1u << 19);
        uint32_t blue = (uint32_t)(int16_t)(cb[x] - 8192), red = (uint32_t)(int16_t)(cr[x] - 8192);
        out[0] = (uint8_t)clamped(shifted(light + 22970u * red, 20), 0, 255);
        out[1] = (uint8_t)clamped(shifted(light - 5638u * blue - 11700u * red, 20), 0, 255);
        out[2] = (uint8_t)clamped(shifted(light + 29032u * blue, 20), 0, 255);
    }
}

// MARK: Rounds

static uint64_t seed;

static void compare(const char *kernel, const void *made, const void *right, size_t size, int round) {
    if (memcmp(made, right, size) == 0) return;
    size_t at = 0;
    while (((const char *)made)[at] == ((const char *)right)[at]) at++;
    fprintf(stderr, "%s differs at byte %zu in round %d of seed %llu\n", kernel, at, round, (unsigned long long)seed);
    exit(1);
}

static void *room(size_t size) {
    void *memory = aligned_alloc(32, (size + 31) / 32 * 32);
    if (!memory) exit(2);
    return memory;
}

// From quiet blocks to those that no encoder writes, which overflow; and blocks of nothing but bounds.
static void tryInverse(int side, int round) {
    static const int most[] = {4, 60, 900, 32767};
    int16_t *c = room(128), plain[64], zero[64] = {0};
    int bound = most[round % 4], density = round % 7 * 16;
    for (int i = 0; i < 64; i++) {
        int value = between(-bound - (bound == 32767), bound);
        if (round % 11 == 0) value = next() % 2 ? 32767 : -32768;
        plain[i] = i == 0 || between(0, 99) <= density ? (int16_t)value : 0;
    }
    memcpy(c, plain, 128);
    const ptrdiff_t stride = side + between(0, 5);
    uint8_t made[128], right[128];
    memset(made, 77, 128), memset(right, 77, 128);
    inverse(plain, side, right, stride);
    side == 8 ? cplanar_inverse8(c, made, stride) : side == 4 ? cplanar_inverse4(c, made, stride) : cplanar_inverse2(c, made, stride);
    compare(side == 8 ? "inverse8" : side == 4 ? "inverse4" : "inverse2", made, right, 128, round);
    compare("what an inverse leaves of the block", c, zero, 128, round);
    free(c);
}

// Weights come to 16,384 in sum, as those of a filter; every third round a single one holds all of it.
static void makeWeights(int16_t *weights, int taps, int round) {
    int sum = 0;
    for (int i = 0; i < taps; i++) {
        weights[i] = round % 3 ? (int16_t)between(-3000, 3000) : 0;
        sum += weights[i];
    }
    int left = 16384 - sum;
    for (int i = 0; left != 0; i = (i + 1) % taps) {
        int step = clamped(left, -4000, round % 3 ? 4000 : 16384);
        step = clamped(weights[i] + step, -16384, 16384) - weights[i];
        weights[i] = (int16_t)(weights[i] + step);
        left -= step;
    }
}

static void tryDown(int round) {
    int width = between(1, 200), groups = (width + 31) / 32 * 32, taps = 2 * between(1, 40);
    ptrdiff_t stride = groups + between(0, 40);
    int count = taps + between(0, 5);
    uint8_t *samples = room((size_t)(stride * count));
    int16_t weights[80], *made = room(sizeof(int16_t) * (size_t)(groups + 8)), *right = room(sizeof(int16_t) * (size_t)(groups + 8));
    for (ptrdiff_t i = 0; i < stride * count; i++) samples[i] = next() % 2 ? (next() % 2 ? 255 : 0) : (uint8_t)next();
    makeWeights(weights, taps, round);
    for (int i = 0; i < groups + 8; i++) made[i] = right[i] = 77;
    cplanar_rows rows = {samples, stride, count, between(0, count - 1)};
    cplanar_filter filter = {weights, taps, NULL};
    down(&rows, &filter, right, width);
    cplanar_down(&rows, &filter, made, width);
    compare("down", made, right, sizeof(int16_t) * (size_t)width, round);
    compare("what is behind a row of down", made + groups, right + groups, 16, round);
    free(samples), free(made), free(right);
}

static void tryAcross(int round) {
    int width = between(1, 120), groups = (width + 3) / 4 * 4, available = between(1, 300);
    int taps = round % 3 ? 16 * between(1, 6) : 8;
    int16_t *in = room(sizeof(int16_t) * (size_t)(available + taps)), *weights = room(sizeof(int16_t) * (size_t)(groups * taps));
    int16_t *made = room(sizeof(int16_t) * (size_t)(groups + 8)), *right = room(sizeof(int16_t) * (size_t)(groups + 8));
    int32_t starts[124];
    for (int i = 0; i < available + taps; i++) {
        in[i] = round % 5 ? (int16_t)between(-4000, 20000) : next() % 2 ? 32767 : -32768;
    }
    for (int x = 0; x < groups; x++) {
        makeWeights(weights + x * taps, taps, round);
        starts[x] = between(0, available - 1);
    }
    for (int i = 0; i < groups + 8; i++) made[i] = right[i] = 77;
    cplanar_filter filter = {weights, taps, starts};
    across(in, &filter, right, width);
    cplanar_across(in, &filter, made, width);
    compare("across", made, right, sizeof(int16_t) * (size_t)width, round);
    compare("what is behind a row of across", made + groups, right + groups, 16, round);
    free(in), free(weights), free(made), free(right);
}

static void tryColours(int round) {
    int width = between(1, 100), groups = (width + 7) / 8 * 8;
    int16_t planes[3][104];
    for (int i = 0; i < 3; i++) {
        for (int x = 0; x < groups; x++) {
            planes[i][x] = round % 4 ? (int16_t)between(-2000, 18400) : (int16_t)between(-8192, 24575);
        }
    }
    uint8_t made[104 * 3 + 32], right[104 * 3 + 32];
    memset(made, 77, sizeof made), memset(right, 77, sizeof right);
    rgb(planes[0], planes[1], planes[2], right, width);
    cplanar_rgb(planes[0], planes[1], planes[2], made, width);
    compare("rgb", made, right, (size_t)width * 3, round);
    compare("what is behind a row of rgb", made + groups * 3 + 4, right + groups * 3 + 4, 16, round);
}

int main(int count, char **words) {
    if (count != 3) return fprintf(stderr, "usage: kernels SEED ROUNDS\n"), 2;
    seed = state = strtoull(words[1], NULL, 10);
    int rounds = atoi(words[2]);
    if (!cplanar_is_available()) return fprintf(stderr, "this processor has none of the kernels\n"), 2;
    for (int round = 0; round < rounds; round++) {
        tryInverse(8, round), tryInverse(4, round), tryInverse(2, round);
        tryDown(round), tryAcross(round), tryColours(round);
    }
    printf("%d rounds of seed %llu: each kernel as its plain loop, to the byte\n", rounds, (unsigned long long)seed);
}
