// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdio.h>

#include <jpeglib.h>

/// How often each symbol of a picture comes, by the number of the code that it will have.
typedef struct {
    // The last one is of use to libjpeg alone.
    long dc[NUM_HUFF_TBLS][257], ac[NUM_HUFF_TBLS][257];
    int last_dc[MAX_COMPS_IN_SCAN];
} chuffman_counts;

/// libjpeg's jpeg_gen_optimal_table: makes a code of counts, and overwrites these.
typedef void chuffman_maker(j_compress_ptr jpeg, JHUFF_TBL *code, long counts[257]);

/// Counts a group of blocks.
void chuffman_count(chuffman_counts *counts, j_compress_ptr jpeg, JBLOCKROW *blocks);

/// Gives the picture codes by what was counted.
void chuffman_make_codes(chuffman_counts *counts, j_compress_ptr jpeg, chuffman_maker *maker);
