// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

/// What the quantisation of one component's blocks goes by.
typedef struct {
    /// In the order of a block's coefficients: what turns one into 64ths of its step, times 1,024.
    uint16_t reciprocal[DCTSIZE2];
    /// Bits for a run of zeros (high four bits) and a number's length (low four), its own bits included.
    int32_t rate[256];
    /// For a number's length: the fewest of these bits, whatever the run.
    int32_t least_rate[16];
} ctrellis;

/// - Parameters:
///   - steps: those that the file names.
///   - codes: a code for AC coefficients that is about as long as that which the file will have.
void ctrellis_prepare(ctrellis *trellis, const UINT16 steps[DCTSIZE2], const JHUFF_TBL *codes);

/// Quantises a block of coefficients, in place: the numbers whose error and bits together are least.
void ctrellis_quantise(const ctrellis *trellis, JCOEF block[DCTSIZE2]);
