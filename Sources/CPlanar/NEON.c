// SPDX-License-Identifier: Apache-2.0
// Sums wrap and shifts round down, as in AVX2.c and in Swift, so that even coefficients that no encoder writes give
// the same bytes. So no instruction that rounds is used.
#include "CPlanar.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// Every ARM processor of 64 bits has NEON.
bool cplanar_is_available(void) { return true; }

// MARK: Inverse DCT
//
// Transforms one dimension of four columns at once, with the sums of products of AVX2.c.

// The contribution of the odd frequencies 1, 3, 5, 7.
INLINE int32x4_t weighed(const int16x4_t *c, int16_t w1, int16_t w3, int16_t w5, int16_t w7) {
    int32x4_t sum = vmlal_n_s16(vmull_n_s16(c[1], w1), c[3], w3);
    return vmlal_n_s16(vmlal_n_s16(sum, c[5], w5), c[7], w7);
}

INLINE void eight(const int16x4_t *c, int32x4_t *out) {
    int32x4_t first = vshll_n_s16(c[0], 13);
    int32x4_t sum = vmlal_n_s16(first, c[4], 8192), difference = vmlsl_n_s16(first, c[4], 8192);
    int32x4_t a = vmlal_n_s16(vmull_n_s16(c[2], 10703), c[6], 4433);
    int32x4_t b = vmlal_n_s16(vmull_n_s16(c[2], 4433), c[6], -10704);
    int32x4_t even[4] = {vaddq_s32(sum, a), vaddq_s32(difference, b), vsubq_s32(difference, b), vsubq_s32(sum, a)};
    int32x4_t odd[4] = {
        weighed(c, 11363, 9633, 6437, 2260), weighed(c, 9633, -2259, -11362, -6436),
        weighed(c, 6437, -11362, 2261, 9633), weighed(c, 2260, -6436, 9633, -11363)};
    for (int i = 0; i < 4; i++) {
        out[i] = vaddq_s32(even[i], odd[i]);
        out[7 - i] = vsubq_s32(even[i], odd[i]);
    }
}

INLINE void four(const int16x4_t *c, int32x4_t *out) {
    int32x4_t first = vshll_n_s16(c[0], 14), a = vmlal_n_s16(vmull_n_s16(c[2], 15137), c[6], -6270);
    int32x4_t sum = vaddq_s32(first, a), difference = vsubq_s32(first, a);
    int32x4_t outer = weighed(c, 20995, 7373, -4926, -4176), inner = weighed(c, 8697, -17799, 11893, -1730);
    out[0] = vaddq_s32(sum, outer), out[3] = vsubq_s32(sum, outer);
    out[1] = vaddq_s32(difference, inner), out[2] = vsubq_s32(difference, inner);
}

// The result of the first pass, with its fractional bits.
#define KEPT(value, bits) vqshrn_n_s32(vaddq_s32(value, vdupq_n_s32(1 << ((bits) - 1))), bits)
// The result of the second pass, of which a shift by 16 bits is done here.
#define LEFT(value, bits) vaddhn_s32(value, vdupq_n_s32((1 << ((bits) - 1)) + (128 << (bits))))

// Loads four columns of a block.
INLINE void load(const int16_t *from, int16x4_t *c) {
    for (int i = 0; i < 8; i++) c[i] = vld1_s16(from + 8 * i);
}

// Transposes four rows to eight columns.
INLINE void columns(const int16x8_t *rows, int16x4_t *c) {
    int16x8x2_t top = vtrnq_s16(rows[0], rows[1]), bottom = vtrnq_s16(rows[2], rows[3]);
    for (int i = 0; i < 2; i++) {
        int32x4x2_t pairs = vtrnq_s32(vreinterpretq_s32_s16(top.val[i]), vreinterpretq_s32_s16(bottom.val[i]));
        for (int j = 0; j < 2; j++) {
            int16x8_t both = vreinterpretq_s16_s32(pairs.val[j]);
            c[2 * j + i] = vget_low_s16(both), c[2 * j + i + 4] = vget_high_s16(both);
        }
    }
}

void cplanar_inverse8(int16_t *c, uint8_t *out, ptrdiff_t stride) {
    int16x4_t low[8], high[8];
    int32x4_t left[8], right[8];
    load(c, low), load(c + 4, high);
    memset(c, 0, 128);
    eight(low, left), eight(high, right);
    int16x8_t rows[8];
    for (int i = 0; i < 8; i++) rows[i] = vcombine_s16(KEPT(left[i], 11), KEPT(right[i], 11));
    columns(rows, low), columns(rows + 4, high);
    eight(low, left), eight(high, right);
    // Columns of samples, which three rounds of exchanging pairs transpose to rows.
    uint8x8_t made[8];
    for (int i = 0; i < 8; i++) made[i] = vqshrun_n_s16(vcombine_s16(LEFT(left[i], 18), LEFT(right[i], 18)), 2);
    for (int i = 0; i < 8; i += 2) {
        uint8x8x2_t pair = vtrn_u8(made[i], made[i + 1]);
        made[i] = pair.val[0], made[i + 1] = pair.val[1];
    }
    for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) {
        uint16x4x2_t pair = vtrn_u16(vreinterpret_u16_u8(made[i]), vreinterpret_u16_u8(made[i + 2]));
        made[i] = vreinterpret_u8_u16(pair.val[0]), made[i + 2] = vreinterpret_u8_u16(pair.val[1]);
    }
    for (int i = 0; i < 4; i++) {
        uint32x2x2_t pair = vtrn_u32(vreinterpret_u32_u8(made[i]), vreinterpret_u32_u8(made[i + 4]));
        vst1_u8(out + i * stride, vreinterpret_u8_u32(pair.val[0]));
        vst1_u8(out + (i + 4) * stride, vreinterpret_u8_u32(pair.val[1]));
    }
}

void cplanar_inverse4(int16_t *c, uint8_t *out, ptrdiff_t stride) {
    int16x4_t low[8], high[8];
    int32x4_t left[4], right[4];
    load(c, low), load(c + 4, high);
    memset(c, 0, 128);
    four(low, left), four(high, right);
    int16x8_t rows[4];
    for (int i = 0; i < 4; i++) rows[i] = vcombine_s16(KEPT(left[i], 12), KEPT(right[i], 12));
    columns(rows, low);
    four(low, left);
    // Columns 0 and 1, and columns 2 and 3, of four samples each.
    uint8x8_t front = vqshrun_n_s16(vcombine_s16(LEFT(left[0], 19), LEFT(left[1], 19)), 3);
    uint8x8_t back = vqshrun_n_s16(vcombine_s16(LEFT(left[2], 19), LEFT(left[3], 19)), 3);
    uint8x8x2_t pairs = vzip_u8(front, back);
    pairs = vzip_u8(pairs.val[0], pairs.val[1]);
    uint8_t samples[16];
    vst1_u8(samples, pairs.val[0]), vst1_u8(samples + 8, pairs.val[1]);
    for (int i = 0; i < 4; i++) memcpy(out + i * stride, samples + 4 * i, 4);
}

void cplanar_inverse2(int16_t *c, uint8_t *out, ptrdiff_t stride) {
    int16x4_t top[2], bottom[2];
    for (int half = 0; half < 2; half++) {
        int16x4_t column[8];
        load(c + 4 * half, column);
        int32x4_t even = vshll_n_s16(column[0], 15), odd = weighed(column, 29692, -10426, 6967, -5906);
        top[half] = KEPT(vaddq_s32(even, odd), 13), bottom[half] = KEPT(vsubq_s32(even, odd), 13);
    }
    memset(c, 0, 128);
    // Columns 0, 2, 4 and 6 of both rows side by side, and columns 1, 3, 5 and 7.
    int16x8x2_t pairs = vtrnq_s16(vcombine_s16(top[0], top[1]), vcombine_s16(bottom[0], bottom[1]));
    const int16x8_t weights = {29692, 29692, -10426, -10426, 6967, 6967, -5906, -5906};
    int32x4_t sums = vmull_s16(vget_low_s16(pairs.val[1]), vget_low_s16(weights));
    sums = vmlal_high_s16(sums, pairs.val[1], weights);
    int32x2_t odd = vadd_s32(vget_low_s32(sums), vget_high_s32(sums));
    int32x2_t even = vget_low_s32(vshll_n_s16(vget_low_s16(pairs.val[0]), 15));
    int32x2x2_t both = vzip_s32(vadd_s32(even, odd), vsub_s32(even, odd));
    int16x4_t four = LEFT(vcombine_s32(both.val[0], both.val[1]), 20);
    uint8_t samples[8];
    vst1_u8(samples, vqshrun_n_s16(vcombine_s16(four, four), 4));
    memcpy(out, samples, 2), memcpy(out + stride, samples + 2, 2);
}

// MARK: Resize

void cplanar_down(const cplanar_rows *rows, const cplanar_filter *filter, int16_t *out, int width) {
    const uint8_t *from[cplanar_most_taps];
    for (int i = 0, at = rows->first; i < filter->taps; i++) {
        from[i] = rows->samples + at * rows->stride;
        if (++at == rows->count) at = 0;
    }
    for (int x = 0; x < width; x += 32) {
        int32x4_t sum[8];
        for (int j = 0; j < 8; j++) sum[j] = vdupq_n_s32(128);
        for (int i = 0; i < filter->taps; i++) {
            int16_t weight = filter->weights[i];
            for (int j = 0; j < 8; j += 4) {
                uint8x16_t samples = vld1q_u8(from[i] + x + 4 * j);
                int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(samples)));
                int16x8_t high = vreinterpretq_s16_u16(vmovl_high_u8(samples));
                sum[j] = vmlal_n_s16(sum[j], vget_low_s16(low), weight);
                sum[j + 1] = vmlal_high_n_s16(sum[j + 1], low, weight);
                sum[j + 2] = vmlal_n_s16(sum[j + 2], vget_low_s16(high), weight);
                sum[j + 3] = vmlal_high_n_s16(sum[j + 3], high, weight);
            }
        }
        for (int j = 0; j < 8; j += 2) {
            vst1q_s16(out + x + 4 * j, vcombine_s16(vqshrn_n_s32(sum[j], 8), vqshrn_n_s32(sum[j + 1], 8)));
        }
    }
}

INLINE int32x4_t product(const int16_t *in, const int16_t *weights, int taps) {
    int32x4_t low = vdupq_n_s32(0), high = low;
    for (int i = 0; i < taps; i += 8) {
        int16x8_t samples = vld1q_s16(in + i), factors = vld1q_s16(weights + i);
        low = vmlal_s16(low, vget_low_s16(samples), vget_low_s16(factors));
        high = vmlal_high_s16(high, samples, factors);
    }
    return vaddq_s32(low, high);
}

void cplanar_across(const int16_t *in, const cplanar_filter *filter, int16_t *out, int width) {
    const int16_t *weights = filter->weights;
    for (int x = 0; x < width; x += 4) {
        int32x4_t sums[4];
        for (int i = 0; i < 4; i++, weights += filter->taps) {
            sums[i] = product(in + filter->starts[x + i], weights, filter->taps);
        }
        int32x4_t four = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
        vst1_s16(out + x, vqshrn_n_s32(vaddq_s32(four, vdupq_n_s32(1 << 13)), 14));
    }
}

// Luma times 2^20, plus a half.
INLINE int32x4_t light(int16x4_t luma) { return vaddq_s32(vshll_n_s16(luma, 14), vdupq_n_s32(1 << 19)); }

// One colour of 8 pixels.
INLINE uint8x8_t colour(int32x4_t low, int32x4_t high) {
    return vqshrun_n_s16(vcombine_s16(vshrn_n_s32(low, 16), vshrn_n_s32(high, 16)), 4);
}

void cplanar_rgb(const int16_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *out, int width) {
    const int16x8_t middle = vdupq_n_s16(128 * 64);
    for (int x = 0; x < width; x += 8, out += 24) {
        int16x8_t y = vld1q_s16(luma + x);
        int32x4_t low = light(vget_low_s16(y)), high = light(vget_high_s16(y));
        int16x8_t blues = vsubq_s16(vld1q_s16(cb + x), middle), reds = vsubq_s16(vld1q_s16(cr + x), middle);
        int32x4_t green = vmlal_n_s16(low, vget_low_s16(blues), -5638);
        int32x4_t greens = vmlal_high_n_s16(high, blues, -5638);
        uint8x8x3_t rgb;
        rgb.val[0] = colour(vmlal_n_s16(low, vget_low_s16(reds), 22970), vmlal_high_n_s16(high, reds, 22970));
        rgb.val[1] = colour(
            vmlal_n_s16(green, vget_low_s16(reds), -11700), vmlal_high_n_s16(greens, reds, -11700));
        rgb.val[2] = colour(vmlal_n_s16(low, vget_low_s16(blues), 29032), vmlal_high_n_s16(high, blues, 29032));
        vst3_u8(out, rgb);
    }
}

#endif
