// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#include <string.h>

/// The coefficient at each place of the zigzag order, in which a JPEG stores a block.
static const uint8_t czigzag_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

/// The place of each coefficient in the zigzag order.
static const uint8_t czigzag_place[64] = {
    0,  1,  5,  6,  14, 15, 27, 28, 2,  4,  7,  13, 16, 26, 29, 42, 3,  8,  12, 17, 25, 30,
    41, 43, 9,  11, 18, 24, 31, 40, 44, 53, 10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38,
    46, 51, 55, 60, 21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63,
};

/// The places of the chosen AC coefficients, as a bit mask.
/// - Parameter is_chosen: 1 or 0 for each coefficient.
static inline uint64_t czigzag_places(const uint8_t is_chosen[64]) {
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "eight values are read as one number");
    uint64_t coefficients = 0;
    for (int i = 0; i < 64; i += 8) {
        uint64_t eight;
        memcpy(&eight, is_chosen + i, sizeof eight);
        // Gathers the lowest bits of eight bytes in one byte.
        coefficients |= (eight * 0x0102040810204080 >> 56) << i;
    }
    uint64_t places = 0;
    for (uint64_t left = coefficients & ~1ull; left; left &= left - 1) {
        places |= 1ull << czigzag_place[__builtin_ctzll(left)];
    }
    return places;
}

/// The length in bits of a number above 0.
static inline int czigzag_length(int number) { return 32 - __builtin_clz((unsigned)number); }
