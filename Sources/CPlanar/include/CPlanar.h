// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Planar that needs vector instructions: inverse DCTs and the loops of a resize. Every function has
// a Swift twin that gives the same bytes (Sources/Planar/Kernels). Nothing here depends on a file's bytes for sizes
// or places: these come from the caller, which has checked them.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "CPlanar has kernels for x86-64 (AVX2.c) and for ARM of 64 bits (NEON.c)"
#endif

/// Whether this processor can run the functions below. Otherwise none of them may be called.
bool cplanar_is_available(void);

/// Inverse DCT of 64 dequantised coefficients, row by row, to 8 × 8 samples. Sets the coefficients to 0.
void cplanar_inverse8(int16_t *coefficients, uint8_t *samples, ptrdiff_t stride);

/// Like cplanar_inverse8, to 4 × 4 samples: the means of 2 × 2.
void cplanar_inverse4(int16_t *coefficients, uint8_t *samples, ptrdiff_t stride);

/// Like cplanar_inverse8, to 2 × 2 samples: the means of 4 × 4.
void cplanar_inverse2(int16_t *coefficients, uint8_t *samples, ptrdiff_t stride);

/// A ring of rows of samples: the first row follows the last.
typedef struct {
    const uint8_t *samples;
    ptrdiff_t stride;
    int count;
    /// The row for the first weight.
    int first;
} cplanar_rows;

/// The weights of a filter; 16,384 stands for 1.
typedef struct {
    const int16_t *weights;
    /// The number of weights for each result, an even number; for `cplanar_across` 8 or a multiple of 16.
    int taps;
    /// The index of the first sample for each result. For `cplanar_across` only.
    const int32_t *starts;
} cplanar_filter;

enum { cplanar_most_taps = 256 };

/// Computes one row from `taps` rows, times 64. Reads and writes whole groups of 32 samples.
void cplanar_down(const cplanar_rows *rows, const cplanar_filter *filter, int16_t *row, int width);

/// Computes one row of samples, times 64, from a row of `cplanar_down`. Works on whole groups of 4.
void cplanar_across(const int16_t *row, const cplanar_filter *filter, int16_t *samples, int width);

/// Converts full-range Y, Cb, Cr (JFIF), times 64, to red, green, blue. Works on whole groups of 8, and writes 4
/// bytes behind them.
void cplanar_rgb(const int16_t *y, const int16_t *cb, const int16_t *cr, uint8_t *rgb, int width);
