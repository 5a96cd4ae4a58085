// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

/// The parameters for quantising the blocks of one component.
typedef struct {
    /// For each coefficient, in the order of the block: the factor to 64ths of its step, times 2,048.
    uint16_t reciprocal[DCTSIZE2];
    /// Bits of a number and of the zeros before it. The index is 16 × the distance from the previous number in places,
    /// plus the number's length.
    int32_t rate[DCTSIZE2 * 16];
    /// Bits of the end-of-block symbol.
    int32_t end;
} ctrellis;

/// - Parameters:
///   - steps: the steps that the file will contain; 1 counts as 2.
///   - codes: a code for AC coefficients, about as long as the one that the file will have.
void ctrellis_prepare(ctrellis *trellis, const UINT16 steps[DCTSIZE2], const JHUFF_TBL *codes);

/// Quantises a block of coefficients in place, with the least cost of error and bits together.
void ctrellis_quantise(const ctrellis *trellis, JCOEF block[DCTSIZE2]);
