// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

/// What the quantisation of one component's blocks goes by.
typedef struct {
    /// In the order of a block's coefficients: what turns one into 64ths of its step, times 2,048.
    uint16_t reciprocal[DCTSIZE2];
    /// Bits of a number and of the zeros before it, by 16 times the places from the number before on, plus its length.
    int32_t rate[DCTSIZE2 * 16];
    /// Bits that end a block.
    int32_t end;
} ctrellis;

/// - Parameters:
///   - steps: those that the file names, 2 or more.
///   - codes: a code for AC coefficients that is about as long as that which the file will have.
void ctrellis_prepare(ctrellis *trellis, const UINT16 steps[DCTSIZE2], const JHUFF_TBL *codes);

/// Quantises a block of coefficients, in place: the numbers whose error and bits together are least.
void ctrellis_quantise(const ctrellis *trellis, JCOEF block[DCTSIZE2]);
