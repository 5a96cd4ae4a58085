// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of Planar that wants vector instructions: inverse DCTs and the loops of a resize. Every function has
// a twin in Swift that gives the same bytes (Sources/Planar/Kernels). Nothing here reads or decides by a picture's
// bytes: sizes and places come from the caller, which has checked them.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "CPlanar has kernels for x86-64 (AVX2.c) and for ARM of 64 bits (NEON.c)"
#endif

/// Whether this processor runs the functions below. Nothing else may be called where it does not.
bool cplanar_is_available(void);

/// Inverse DCT of 64 dequantised coefficients, row by row, to 8 × 8 samples. Sets the coefficients to 0.
void cplanar_inverse8(int16_t *coefficients, uint8_t *samples, ptrdiff_t stride);

/// As above, to 4 × 4 samples: the means of 2 × 2.
void cplanar_inverse4(int16_t *coefficients, uint8_t *samples, ptrdiff_t stride);

/// As above, to 2 × 2 samples: the means of 4 × 4.
void cplanar_inverse2(int16_t *coefficients, uint8_t *samples, ptrdiff_t stride);

/// Rows of samples, of which the one behind the last is the first again.
typedef struct {
    const uint8_t *samples;
    ptrdiff_t stride;
    int count;
    /// The row that the first weight is for.
    int first;
} cplanar_rows;

/// Weights of a filter, 16,384 for 1.
typedef struct {
    const int16_t *weights;
    /// Weights for each result: even; for `cplanar_across` 8, or a multiple of 16.
    int taps;
    /// Where the samples for each result begin; `cplanar_across` only.
    const int32_t *starts;
} cplanar_filter;

enum { cplanar_most_taps = 256 };

/// One row out of `taps` rows, times 64. Works on whole groups of 32 samples, at both ends.
void cplanar_down(const cplanar_rows *rows, const cplanar_filter *filter, int16_t *row, int width);

/// One row out of the row above: samples, times 64. Works on whole groups of 4.
void cplanar_across(const int16_t *row, const cplanar_filter *filter, int16_t *samples, int width);

/// Full-range Y, Cb, Cr (JFIF), times 64, to red, green, blue. Works on whole groups of 8, and writes 4 bytes behind
/// them.
void cplanar_rgb(const int16_t *y, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int width);
