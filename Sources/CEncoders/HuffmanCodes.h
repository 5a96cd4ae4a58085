// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdio.h>

#include <jpeglib.h>

/// How often each symbol of a picture occurs, for each code table.
typedef struct {
    // Only libjpeg uses the last entry.
    long dc[NUM_HUFF_TBLS][257], ac[NUM_HUFF_TBLS][257];
    int last_dc[MAX_COMPS_IN_SCAN];
} chuffman_counts;

/// The type of libjpeg's jpeg_gen_optimal_table, which makes a code from counts and overwrites the counts.
typedef void chuffman_maker(j_compress_ptr jpeg, JHUFF_TBL *code, long counts[257]);

/// Counts the symbols of one MCU.
void chuffman_count(chuffman_counts *counts, j_compress_ptr jpeg, JBLOCKROW *blocks);

/// Sets the picture's code tables from the counts.
void chuffman_make_codes(chuffman_counts *counts, j_compress_ptr jpeg, chuffman_maker *maker);
