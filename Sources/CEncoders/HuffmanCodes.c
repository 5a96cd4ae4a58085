// SPDX-License-Identifier: Apache-2.0
// Optimised Huffman codes for a JPEG. All symbols of the picture have to be counted before. libjpeg visits every
// coefficient for that, which takes a third of the time of writing a file. Most coefficients are 0, so a bit mask
// skips them here. libjpeg's own function turns the counts into a code.
#include "HuffmanCodes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "Zigzag.h"

static int length_of(int number) { return number == 0 ? 0 : czigzag_length(abs(number)); }

static void count(const JCOEF block[DCTSIZE2], int last_dc, long dc[257], long ac[257]) {
    dc[length_of(block[0] - last_dc)]++;
    uint8_t is_there[DCTSIZE2];
    for (int i = 0; i < DCTSIZE2; i++) is_there[i] = block[i] != 0;
    int last = 0;
    for (uint64_t places = czigzag_places(is_there); places; places &= places - 1) {
        int place = __builtin_ctzll(places), run = place - last - 1;
        last = place;
        // Sixteen zeros in a row have a symbol of their own (ZRL).
        ac[0xf0] += run >> 4;
        ac[(run & 15) << 4 | czigzag_length(abs(block[czigzag_order[place]]))]++;
    }
    // The end-of-block symbol (EOB).
    if (last < DCTSIZE2 - 1) ac[0]++;
}

void chuffman_count(chuffman_counts *counts, j_compress_ptr jpeg, JBLOCKROW *blocks) {
    for (int i = 0; i < jpeg->blocks_in_MCU; i++) {
        int index = jpeg->MCU_membership[i];
        const jpeg_component_info *component = jpeg->cur_comp_info[index];
        const JCOEF *block = blocks[i][0];
        count(block, counts->last_dc[index], counts->dc[component->dc_tbl_no], counts->ac[component->ac_tbl_no]);
        counts->last_dc[index] = block[0];
    }
}

static void make_code(j_compress_ptr jpeg, JHUFF_TBL **code, long counts[257], chuffman_maker *maker) {
    if (!*code) *code = jpeg_alloc_huff_table((j_common_ptr)jpeg);
    maker(jpeg, *code, counts);
}

void chuffman_make_codes(chuffman_counts *counts, j_compress_ptr jpeg, chuffman_maker *maker) {
    bool has_dc[NUM_HUFF_TBLS] = {false}, has_ac[NUM_HUFF_TBLS] = {false};
    for (int i = 0; i < jpeg->comps_in_scan; i++) {
        int dc = jpeg->cur_comp_info[i]->dc_tbl_no, ac = jpeg->cur_comp_info[i]->ac_tbl_no;
        if (!has_dc[dc]) make_code(jpeg, &jpeg->dc_huff_tbl_ptrs[dc], counts->dc[dc], maker);
        if (!has_ac[ac]) make_code(jpeg, &jpeg->ac_huff_tbl_ptrs[ac], counts->ac[ac], maker);
        has_dc[dc] = has_ac[ac] = true;
    }
}
