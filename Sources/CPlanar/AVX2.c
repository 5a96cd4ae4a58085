// SPDX-License-Identifier: Apache-2.0
#include "CPlanar.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define FAST __attribute__((target("avx2")))
#define INLINE FAST static inline __attribute__((always_inline))

bool cplanar_is_available(void) { return __builtin_cpu_supports("avx2"); }

// MARK: Inverse DCT
//
// Loeffler, Ligtenberg, Moschytz: "Practical fast 1-D DCT algorithms with 11 multiplications" (1989), with constants of
// 13 bits. Each odd output is written out as a sum of products, because PMADDWD computes two products and their sum.
// The first pass keeps 2 fractional bits for the second. The smaller sizes are the means of neighbouring outputs, to
// which the unused frequencies contribute nothing.

// Packs two 16-bit weights for PMADDWD.
#define P(low, high) ((int)((unsigned)((low) & 0xFFFF) | (unsigned)(high) << 16))

INLINE __m128i row(const int16_t *c, int i) { return _mm_load_si128((const __m128i *)(c + 8 * i)); }
// Interleaves columns 0…7 of two rows.
INLINE __m256i beside(__m128i a, __m128i b) {
    return _mm256_set_m128i(_mm_unpackhi_epi16(a, b), _mm_unpacklo_epi16(a, b));
}

INLINE __m256i dot(__m256i pairs, int low, int high) {
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32(P(low, high)));
}

INLINE __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
INLINE __m256i sub(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
INLINE __m256i descale(__m256i a, int bits, int offset) {
    return _mm256_srai_epi32(add(a, _mm256_set1_epi32((1 << (bits - 1)) + (offset << bits))), bits);
}

INLINE void clear(int16_t *c) { memset(c, 0, 128); }
// Puts the words of each half into this order.
INLINE __m256i ordered(__m256i v, int a, int b, int c, int d, int e, int f, int g, int h) {
    __m128i words = _mm_setr_epi16(a, b, c, d, e, f, g, h);
    __m128i bytes = _mm_add_epi8(_mm_mullo_epi16(words, _mm_set1_epi16(0x202)), _mm_set1_epi16(0x100));
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(bytes));
}
// Multiplies each lane of both halves by its own weights.
INLINE __m256i dots(__m256i pairs, int a, int b, int c, int d) {
    return _mm256_madd_epi16(pairs, _mm256_setr_epi32(a, b, c, d, a, b, c, d));
}

// Transforms two rows, one in each half. The 8 results of each are bytes in the low 8 of its half.
INLINE __m256i rows8(__m256i two) {
    __m256i v = ordered(two, 0, 4, 2, 6, 1, 3, 5, 7);
    __m256i a = _mm256_shuffle_epi32(v, 0x00), b = _mm256_shuffle_epi32(v, 0x55);
    __m256i c = _mm256_shuffle_epi32(v, 0xAA), d = _mm256_shuffle_epi32(v, 0xFF);
    __m256i even = add(
        dots(a, P(8192, 8192), P(8192, -8192), P(8192, -8192), P(8192, 8192)),
        dots(b, P(10703, 4433), P(4433, -10704), P(-4433, 10704), P(-10703, -4433)));
    __m256i odd = add(
        dots(c, P(11363, 9633), P(9633, -2259), P(6437, -11362), P(2260, -6436)),
        dots(d, P(6437, 2260), P(-11362, -6436), P(2261, 9633), P(9633, -11363)));
    __m256i front = descale(add(even, odd), 18, 128);
    __m256i back = _mm256_shuffle_epi32(descale(sub(even, odd), 18, 128), 0x1B);
    __m256i words = _mm256_packs_epi32(front, back);
    return _mm256_packus_epi16(words, words);
}

FAST void cplanar_inverse8(int16_t *c, uint8_t *out, ptrdiff_t stride) {
    __m256i p04 = beside(row(c, 0), row(c, 4)), p26 = beside(row(c, 2), row(c, 6));
    __m256i p13 = beside(row(c, 1), row(c, 3)), p57 = beside(row(c, 5), row(c, 7));
    clear(c);
    __m256i sum = dot(p04, 8192, 8192), difference = dot(p04, 8192, -8192);
    __m256i a = dot(p26, 10703, 4433), b = dot(p26, 4433, -10704);
    __m256i even[4] = {add(sum, a), add(difference, b), sub(difference, b), sub(sum, a)};
    __m256i odd[4] = {
        add(dot(p13, 11363, 9633), dot(p57, 6437, 2260)), add(dot(p13, 9633, -2259), dot(p57, -11362, -6436)),
        add(dot(p13, 6437, -11362), dot(p57, 2261, 9633)), add(dot(p13, 2260, -6436), dot(p57, 9633, -11363))};
    __m256i rows[8];
    for (int i = 0; i < 4; i++) {
        rows[i] = descale(add(even[i], odd[i]), 11, 0);
        rows[7 - i] = descale(sub(even[i], odd[i]), 11, 0);
    }
    for (int i = 0; i < 8; i += 2) {
        __m256i bytes = rows8(_mm256_permute4x64_epi64(_mm256_packs_epi32(rows[i], rows[i + 1]), 0xD8));
        _mm_storel_epi64((__m128i *)(out + i * stride), _mm256_castsi256_si128(bytes));
        _mm_storel_epi64((__m128i *)(out + (i + 1) * stride), _mm256_extracti128_si256(bytes, 1));
    }
}

FAST void cplanar_inverse4(int16_t *c, uint8_t *out, ptrdiff_t stride) {
    __m256i p13 = beside(row(c, 1), row(c, 3)), p57 = beside(row(c, 5), row(c, 7));
    __m256i p02 = beside(row(c, 0), row(c, 2)), p6 = beside(row(c, 6), _mm_setzero_si128());
    clear(c);
    __m256i outer = add(dot(p13, 20995, 7373), dot(p57, -4926, -4176));
    __m256i inner = add(dot(p13, 8697, -17799), dot(p57, 11893, -1730));
    __m256i sum = add(dot(p02, 16384, 15137), dot(p6, -6270, 0));
    __m256i difference = add(dot(p02, 16384, -15137), dot(p6, 6270, 0));
    __m256i ab = _mm256_packs_epi32(descale(add(sum, outer), 12, 0), descale(add(difference, inner), 12, 0));
    __m256i cd = _mm256_packs_epi32(descale(sub(difference, inner), 12, 0), descale(sub(sum, outer), 12, 0));
    // Columns 0…3 of the four rows, and columns 4…7; in each row ordered as (1, 3) (0, 2) and (5, 7) (6, 4).
    __m256i low = _mm256_permute2x128_si256(ab, cd, 0x20), high = _mm256_permute2x128_si256(ab, cd, 0x31);
    low = ordered(low, 1, 3, 0, 2, 5, 7, 4, 6), high = ordered(high, 1, 3, 2, 0, 5, 7, 6, 4);
    // The odd part and the even part of each row, for the outer two results and for the inner two.
    __m256i far = add(
        dots(low, P(20995, 7373), P(16384, 15137), P(20995, 7373), P(16384, 15137)),
        dots(high, P(-4926, -4176), P(-6270, 0), P(-4926, -4176), P(-6270, 0)));
    __m256i near = add(
        dots(low, P(8697, -17799), P(16384, -15137), P(8697, -17799), P(16384, -15137)),
        dots(high, P(11893, -1730), P(6270, 0), P(11893, -1730), P(6270, 0)));
    __m256i far2 = _mm256_shuffle_epi32(far, 0xB1), near2 = _mm256_shuffle_epi32(near, 0xB1);
    far = descale(_mm256_blend_epi32(add(far, far2), sub(far, far2), 0xAA), 19, 128);
    near = descale(_mm256_blend_epi32(add(near, near2), sub(near, near2), 0xAA), 19, 128);
    __m256i words = ordered(_mm256_packs_epi32(far, near), 0, 4, 5, 1, 2, 6, 7, 3);
    __m256i bytes = _mm256_packus_epi16(words, words);
    uint64_t top = (uint64_t)_mm256_extract_epi64(bytes, 0), bottom = (uint64_t)_mm256_extract_epi64(bytes, 2);
    memcpy(out, &top, 4), memcpy(out + stride, (char *)&top + 4, 4);
    memcpy(out + 2 * stride, &bottom, 4), memcpy(out + 3 * stride, (char *)&bottom + 4, 4);
}

FAST void cplanar_inverse2(int16_t *c, uint8_t *out, ptrdiff_t stride) {
    __m256i p13 = beside(row(c, 1), row(c, 3)), p57 = beside(row(c, 5), row(c, 7));
    __m256i even = dot(beside(row(c, 0), row(c, 0)), 16384, 16384);
    clear(c);
    __m256i odd = add(dot(p13, 29692, -10426), dot(p57, 6967, -5906));
    __m256i rows = _mm256_packs_epi32(descale(add(even, odd), 13, 0), descale(sub(even, odd), 13, 0));
    // For each of the two rows: (1, 3) (0, 0) in the lower half; (5, 7) in the upper half, with two words whose weight
    // is 0.
    rows = ordered(rows, 1, 3, 0, 0, 5, 7, 4, 4);
    const int p0 = P(16384, 16384), p1 = P(29692, -10426), p5 = P(6967, -5906);
    rows = _mm256_madd_epi16(rows, _mm256_setr_epi32(p1, p0, p1, p0, p5, 0, p5, 0));
    __m128i v = _mm_add_epi32(_mm256_castsi256_si128(rows), _mm256_extracti128_si256(rows, 1));
    __m128i w = _mm_shuffle_epi32(v, 0xB1);
    v = _mm_blend_epi16(_mm_add_epi32(v, w), _mm_sub_epi32(v, w), 0xCC);
    v = _mm_srai_epi32(_mm_add_epi32(v, _mm_set1_epi32((1 << 19) + (128 << 20))), 20);
    v = _mm_packs_epi32(v, v);
    uint32_t four = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(v, v));
    memcpy(out, &four, 2), memcpy(out + stride, (char *)&four + 2, 2);
}

// MARK: Resize

FAST void cplanar_down(const cplanar_rows *rows, const cplanar_filter *filter, int16_t *out, int width) {
    const uint8_t *from[cplanar_most_taps];
    for (int i = 0, at = rows->first; i < filter->taps; i++) {
        from[i] = rows->samples + at * rows->stride;
        if (++at == rows->count) at = 0;
    }
    const __m256i zero = _mm256_setzero_si256();
    for (int x = 0; x < width; x += 32) {
        // Samples 0…3 and 16…19, then 4…7 and 20…23, and so on.
        __m256i sum[4];
        for (int j = 0; j < 4; j++) sum[j] = _mm256_set1_epi32(128);
        for (int i = 0; i < filter->taps; i += 2) {
            int pair;
            memcpy(&pair, filter->weights + i, sizeof pair);
            __m256i weights = _mm256_set1_epi32(pair);
            __m256i a = _mm256_loadu_si256((const __m256i *)(from[i] + x));
            __m256i b = _mm256_loadu_si256((const __m256i *)(from[i + 1] + x));
            __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
            sum[0] = add(sum[0], _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), weights));
            sum[1] = add(sum[1], _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), weights));
            sum[2] = add(sum[2], _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), weights));
            sum[3] = add(sum[3], _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), weights));
        }
        for (int j = 0; j < 4; j++) sum[j] = _mm256_srai_epi32(sum[j], 8);
        __m256i low = _mm256_packs_epi32(sum[0], sum[1]), high = _mm256_packs_epi32(sum[2], sum[3]);
        _mm256_storeu_si256((__m256i *)(out + x), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(out + x + 16), _mm256_permute2x128_si256(low, high, 0x31));
    }
}

INLINE __m256i product(const int16_t *in, const int16_t *weights, int taps) {
    __m256i sum = _mm256_setzero_si256();
    for (int i = 0; i < taps; i += 16) {
        __m256i samples = _mm256_loadu_si256((const __m256i *)(in + i));
        sum = add(sum, _mm256_madd_epi16(samples, _mm256_loadu_si256((const __m256i *)(weights + i))));
    }
    return sum;
}

INLINE __m128i load(const int16_t *p) { return _mm_loadu_si128((const __m128i *)p); }

// Two sums of products, of 8 weights each.
INLINE __m256i products(const int16_t *first, const int16_t *second, const int16_t *weights) {
    __m256i samples = _mm256_inserti128_si256(_mm256_castsi128_si256(load(first)), load(second), 1);
    return _mm256_madd_epi16(samples, _mm256_loadu_si256((const __m256i *)weights));
}

// Rounds and stores four results, which are scaled by 2^14.
INLINE void store(int16_t *out, __m128i v) {
    v = _mm_srai_epi32(_mm_add_epi32(v, _mm_set1_epi32(1 << 13)), 14);
    _mm_storel_epi64((__m128i *)out, _mm_packs_epi32(v, v));
}

FAST static void across8(const int16_t *in, const cplanar_filter *filter, int16_t *out, int width) {
    const int16_t *weights = filter->weights;
    for (int x = 0; x < width; x += 4, weights += 32) {
        const int32_t *starts = filter->starts + x;
        __m256i a = products(in + starts[0], in + starts[1], weights);
        __m256i b = products(in + starts[2], in + starts[3], weights + 16);
        // Results 0 and 2 lie in the lower half, 1 and 3 in the upper one.
        __m256i sums = _mm256_hadd_epi32(a, b);
        sums = _mm256_hadd_epi32(sums, sums);
        store(out + x, _mm_unpacklo_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1)));
    }
}

INLINE void across16(const int16_t *in, const cplanar_filter *filter, int16_t *out, int width, int taps) {
    const int16_t *weights = filter->weights;
    for (int x = 0; x < width; x += 4) {
        __m256i sums[4];
        for (int i = 0; i < 4; i++, weights += taps) sums[i] = product(in + filter->starts[x + i], weights, taps);
        __m256i four = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
        store(out + x, _mm_add_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1)));
    }
}

FAST void cplanar_across(const int16_t *in, const cplanar_filter *filter, int16_t *out, int width) {
    switch (filter->taps) {
    case 8: across8(in, filter, out, width); break;
    // Usual numbers as constants, so that no loop is left for them.
    case 16: across16(in, filter, out, width, 16); break;
    case 32: across16(in, filter, out, width, 32); break;
    default: across16(in, filter, out, width, filter->taps);
    }
}

// One colour of 8 pixels. `y` is luma times 2^20 plus a half; `chroma` has pairs of Cb − 128 and Cr − 128, times 64.
INLINE __m256i colour(__m256i y, __m256i chroma, int cb, int cr) {
    __m256i v = _mm256_srai_epi32(add(y, dot(chroma, cb, cr)), 20);
    return _mm256_min_epi32(_mm256_max_epi32(v, _mm256_setzero_si256()), _mm256_set1_epi32(255));
}

FAST void cplanar_rgb(const int16_t *luma, const int16_t *cb, const int16_t *cr, uint8_t *out, int width) {
    const __m256i close = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    for (int x = 0; x < width; x += 8, out += 24) {
        __m256i y = _mm256_slli_epi32(_mm256_cvtepi16_epi32(load(luma + x)), 14);
        y = add(y, _mm256_set1_epi32(1 << 19));
        __m256i chroma = _mm256_sub_epi16(beside(load(cb + x), load(cr + x)), _mm256_set1_epi16(128 * 64));
        __m256i green = _mm256_slli_epi32(colour(y, chroma, -5638, -11700), 8);
        __m256i blue = _mm256_slli_epi32(colour(y, chroma, 29032, 0), 16);
        __m256i rgb = _mm256_or_si256(_mm256_or_si256(colour(y, chroma, 0, 22970), green), blue);
        rgb = _mm256_shuffle_epi8(rgb, close);
        _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(rgb));
        _mm_storeu_si128((__m128i *)(out + 12), _mm256_extracti128_si256(rgb, 1));
    }
}

#endif
