// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "LibJPEG.h"

#if JPEG_LIB_VERSION >= 70
#define SIDE DCT_h_scaled_size
#else
#define SIDE DCT_scaled_size
#endif

typedef struct {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
} reader;

static void on_error(j_common_ptr jpeg) { longjmp(((reader *)jpeg)->failed, 1); }

static void on_message(j_common_ptr jpeg) { (void)jpeg; }

// Whole blocks, and room behind each row for stores of several samples.
static int make_room(j_decompress_ptr jpeg, libjpeg_plane *planes) {
    for (int i = 0; i < jpeg->num_components; i++) {
        const jpeg_component_info *component = &jpeg->comp_info[i];
        libjpeg_plane *plane = &planes[i];
        plane->side = component->SIDE;
        plane->width = (int32_t)component->width_in_blocks * plane->side;
        plane->height = (int32_t)component->height_in_blocks * plane->side;
        plane->stride = plane->width + 32;
        size_t rows = (size_t)jpeg->total_iMCU_rows * component->v_samp_factor * plane->side;
        plane->samples = calloc(rows, (size_t)plane->stride);
        if (!plane->samples) return -1;
    }
    return 0;
}

static void read_planes(j_decompress_ptr jpeg, libjpeg_plane *planes) {
    JSAMPROW rows[3][4 * DCTSIZE];
    JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
    for (JDIMENSION strip = 0; strip < jpeg->total_iMCU_rows && jpeg->output_scanline < jpeg->output_height; strip++) {
        for (int i = 0; i < jpeg->num_components; i++) {
            int count = jpeg->comp_info[i].v_samp_factor * planes[i].side;
            for (int y = 0; y < count; y++) {
                rows[i][y] = planes[i].samples + ((ptrdiff_t)strip * count + y) * planes[i].stride;
            }
        }
        if (jpeg_read_raw_data(jpeg, arrays, 4 * DCTSIZE) == 0) return;
    }
}

int libjpeg_read(const uint8_t *file, size_t length, int shrink, libjpeg_plane *planes) {
    memset(planes, 0, 3 * sizeof *planes);
    // On the heap: what is changed behind setjmp() stays.
    reader *reader = calloc(1, sizeof *reader);
    if (!reader) return 0;
    j_decompress_ptr jpeg = &reader->jpeg;
    jpeg->err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = on_error;
    reader->errors.output_message = on_message;
    volatile int count = 0;
    if (setjmp(reader->failed) == 0) {
        jpeg_create_decompress(jpeg);
        jpeg_mem_src(jpeg, file, length);
        jpeg_read_header(jpeg, TRUE);
        jpeg->out_color_space = jpeg->jpeg_color_space;
        jpeg->raw_data_out = TRUE;
        jpeg->dct_method = JDCT_ISLOW;
        jpeg->do_block_smoothing = FALSE;
        jpeg->scale_num = 1;
        jpeg->scale_denom = (unsigned)shrink;
        jpeg_start_decompress(jpeg);
        if ((jpeg->num_components == 1 || jpeg->num_components == 3) && make_room(jpeg, planes) == 0) {
            read_planes(jpeg, planes);
            count = jpeg->num_components;
        }
    } else {
        count = 0;
    }
    jpeg_destroy_decompress(jpeg);
    free(reader);
    return count;
}

void libjpeg_free(libjpeg_plane *planes) {
    for (int i = 0; i < 3; i++) {
        free(planes[i].samples);
        planes[i].samples = NULL;
    }
}

int libjpeg_difference(const uint8_t *one, const uint8_t *other, size_t count) {
    int worst = 0;
    for (size_t i = 0; i < count; i++) {
        int difference = abs(one[i] - other[i]);
        if (difference > worst) worst = difference;
    }
    return worst;
}

typedef struct {
    struct jpeg_decompress_struct from;
    struct jpeg_compress_struct to;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    unsigned char *bytes;
    unsigned long length;
} copier;

static void on_copy_error(j_common_ptr jpeg) { longjmp(((copier *)jpeg->client_data)->failed, 1); }

uint8_t *libjpeg_optimised(const uint8_t *file, size_t length, size_t *new_length) {
    copier *copier = calloc(1, sizeof *copier);
    if (!copier) return NULL;
    jpeg_std_error(&copier->errors);
    copier->errors.error_exit = on_copy_error;
    copier->errors.output_message = on_message;
    copier->from.err = copier->to.err = &copier->errors;
    copier->from.client_data = copier->to.client_data = copier;
    volatile int is_whole = 0;
    if (setjmp(copier->failed) == 0) {
        jpeg_create_decompress(&copier->from);
        jpeg_create_compress(&copier->to);
        jpeg_mem_src(&copier->from, file, length);
        jpeg_mem_dest(&copier->to, &copier->bytes, &copier->length);
        jpeg_read_header(&copier->from, TRUE);
        jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&copier->from);
        jpeg_copy_critical_parameters(&copier->from, &copier->to);
        copier->to.optimize_coding = TRUE;
        copier->to.write_JFIF_header = FALSE;
        jpeg_write_coefficients(&copier->to, coefficients);
        jpeg_finish_compress(&copier->to);
        is_whole = 1;
    }
    jpeg_destroy_compress(&copier->to);
    jpeg_destroy_decompress(&copier->from);
    uint8_t *bytes = copier->bytes;
    *new_length = copier->length;
    free(copier);
    if (is_whole) return bytes;
    free(bytes);
    return NULL;
}
