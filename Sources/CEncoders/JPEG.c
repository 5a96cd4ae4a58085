// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>
// For the methods inside libjpeg's structures; the file comes with jpeglib.h.
#include <jpegint.h>

#include "CEncoders.h"
#include "HuffmanCodes.h"
#include "Trellis.h"

// Quantisation steps for quality 50.
typedef struct {
    unsigned int luma[DCTSIZE2], chroma[DCTSIZE2];
} steps;

// Tables for rounded coefficients: 7 to 8 % fewer bytes for photographs at equal likeness than the tables of T.81 annex K,
// which were only an example. A search for the best multi-scale SSIM over Kodak's test pictures found them; they are known
// as mozjpeg's table 2.
static const steps for_rounding = {
    {
        12, 17, 20, 21, 30, 34,  56,  63,  18, 20, 20, 26, 28,  51,  61,  55,
        19, 20, 21, 26, 33, 58,  69,  55,  26, 26, 26, 30, 46,  87,  86,  66,
        31, 33, 36, 40, 46, 96,  100, 73,  40, 35, 46, 62, 81,  100, 111, 91,
        46, 66, 76, 86, 102, 121, 120, 101, 68, 90, 90, 96, 113, 102, 105, 103,
    },
    {
        8,  12, 15, 15, 86, 96, 96, 98,  13, 13, 15, 26, 90, 96, 99, 98,
        12, 15, 18, 96, 99, 99, 99, 99,  17, 16, 90, 96, 99, 99, 99, 99,
        96, 96, 99, 99, 99, 99, 99, 99,  99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,  99, 99, 99, 99, 99, 99, 99, 99,
    },
};

// Tables for the trellis. The trellis drops many high frequencies, so their steps may be fine. A search that began with
// the tables above found them: the fewest bytes for ten photographs and six drawings at equal SSIMULACRA 2.
static const steps for_trellis = {
    {
        9, 12, 21, 26, 36, 38, 58, 57, 13, 21, 25, 31, 31, 53, 56, 42,
        20, 25, 25, 29, 34, 53, 53, 35, 33, 31, 29, 31, 42, 67, 55, 41,
        37, 37, 37, 36, 35, 62, 63, 45, 45, 36, 42, 48, 52, 63, 68, 54,
        47, 60, 58, 55, 64, 74, 71, 59, 62, 69, 58, 60, 69, 60, 61, 60,
    },
    {
        9, 13, 21, 20, 83, 72, 58, 54, 14, 18, 20, 25, 67, 58, 54, 56,
        17, 20, 17, 72, 59, 54, 57, 59, 22, 15, 67, 58, 54, 57, 59, 62,
        93, 72, 59, 54, 57, 59, 62, 64, 74, 59, 54, 57, 59, 62, 64, 68,
        59, 54, 57, 59, 62, 64, 68, 69, 54, 57, 59, 62, 64, 68, 69, 69,
    },
};

// From this quality on, coefficients are only rounded, because few bytes are left to save and a client that asks for this
// quality wants all detail.
enum { finest = 90 };

enum { most_rows = 2 * DCTSIZE, block = DCTSIZE };

typedef struct {
    // Samples in a row, and the same including the padding of the last blocks.
    int width, padded;
    int rows_of_group;
    int rows_left;
    // Rows that were received and are not yet written.
    int filled;
    JSAMPROW rows[most_rows];
} plane;

struct cjpeg_writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf failed;
    cencoders_write write;
    void *context;
    int64_t nanoseconds;
    char words[JMSG_LENGTH_MAX];
    plane planes[3];
    uint8_t *samples;
    // libjpeg's own transform, which returns luma's coefficients unquantised, and the trellis that quantises
    // them.
    void (*transform)(j_compress_ptr, jpeg_component_info *, JSAMPARRAY, JBLOCKROW, JDIMENSION, JDIMENSION, JDIMENSION);
    ctrellis trellis;
    // Makes codes from our own counts; NULL if libjpeg counts.
    chuffman_maker *code_maker;
    chuffman_counts counts;
    bool has_codes;
    uint8_t buffer[32 * 1024];
};

// MARK: What libjpeg calls

static void on_error(j_common_ptr jpeg) {
    cjpeg_writer *writer = (cjpeg_writer *)jpeg;
    if (!writer->words[0]) jpeg->err->format_message(jpeg, writer->words);
    longjmp(writer->failed, 1);
}

static void on_message(j_common_ptr jpeg) {}

static void begin(j_compress_ptr jpeg) {
    cjpeg_writer *writer = (cjpeg_writer *)jpeg;
    writer->destination.next_output_byte = writer->buffer;
    writer->destination.free_in_buffer = sizeof writer->buffer;
}

static void flush(j_compress_ptr jpeg, size_t length) {
    cjpeg_writer *writer = (cjpeg_writer *)jpeg;
    // The error text stays empty, because the receiver of the bytes knows why it refused them.
    if (length > 0 && writer->write(writer->context, writer->buffer, length)) longjmp(writer->failed, 1);
    begin(jpeg);
}

static boolean on_full(j_compress_ptr jpeg) {
    flush(jpeg, sizeof ((cjpeg_writer *)jpeg)->buffer);
    return TRUE;
}

static void on_end(j_compress_ptr jpeg) {
    flush(jpeg, sizeof ((cjpeg_writer *)jpeg)->buffer - jpeg->dest->free_in_buffer);
}

static void transform(j_compress_ptr jpeg, jpeg_component_info *component, JSAMPARRAY samples, JBLOCKROW blocks,
                      JDIMENSION row, JDIMENSION column, JDIMENSION count) {
    cjpeg_writer *writer = (cjpeg_writer *)jpeg;
    writer->transform(jpeg, component, samples, blocks, row, column, count);
    if (component->quant_tbl_no != 0) return;
    for (JDIMENSION i = 0; i < count; i++) ctrellis_quantise(&writer->trellis, blocks[i]);
}

static boolean count(j_compress_ptr jpeg, JBLOCKROW *blocks) {
    chuffman_count(&((cjpeg_writer *)jpeg)->counts, jpeg, blocks);
    return TRUE;
}

static void make_codes(j_compress_ptr jpeg) {
    cjpeg_writer *writer = (cjpeg_writer *)jpeg;
    chuffman_make_codes(&writer->counts, jpeg, writer->code_maker);
    writer->has_codes = true;
}

// MARK: The writer

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int make_planes(cjpeg_writer *writer, const cjpeg_options *options) {
    size_t total = 0;
    for (int i = 0; i < 3; i++) {
        plane *plane = &writer->planes[i];
        bool is_half = options->half_chroma && i > 0;
        int unit = options->half_chroma && i == 0 ? 2 * block : block;
        plane->width = is_half ? (options->width + 1) / 2 : options->width;
        plane->rows_left = is_half ? (options->height + 1) / 2 : options->height;
        plane->padded = (plane->width + unit - 1) / unit * unit;
        plane->rows_of_group = unit;
        total += (size_t)plane->padded * unit;
    }
    uint8_t *next = writer->samples = malloc(total);
    if (!next) return -1;
    for (int i = 0; i < 3; i++) {
        plane *plane = &writer->planes[i];
        for (int y = 0; y < plane->rows_of_group; y++, next += plane->padded) plane->rows[y] = next;
    }
    return 0;
}

// Finds a function of the loaded libjpeg that its installed headers do not declare. NULL if there is none, or if the one found
// belongs to another libjpeg in the process, whose functions have other parameters.
static void *inner_function(const char *name) {
    Dl_info function = {0}, start = {0};
    void *address = dlsym(RTLD_DEFAULT, name);
    bool is_own = address && dladdr(address, &function) && dladdr((void *)(uintptr_t)jpeg_start_compress, &start) &&
        function.dli_fbase == start.dli_fbase;
    return is_own ? address : NULL;
}

// Only the methods of libjpeg-turbo can be replaced, because mozjpeg's have other parameters and jpegli has
// none.
static bool has_methods(void) {
    return inner_function("jpeg_fdct_islow") && !dlsym(RTLD_DEFAULT, "jpeg_c_set_bool_param");
}

bool cjpeg_has_trellis(void) { return has_methods(); }

// libjpeg reads the quantisation steps when it starts, and writes them to the file with the first rows. Luma's
// steps are all 1 during the start, so libjpeg leaves luma's coefficients unquantised.
static void start_with_trellis(cjpeg_writer *writer) {
    j_compress_ptr jpeg = &writer->jpeg;
    UINT16 *steps = jpeg->quant_tbl_ptrs[0]->quantval, own[DCTSIZE2];
    memcpy(own, steps, sizeof own);
    ctrellis_prepare(&writer->trellis, own, jpeg->ac_huff_tbl_ptrs[0]);
    for (int i = 0; i < DCTSIZE2; i++) steps[i] = 1;
    jpeg_start_compress(jpeg, TRUE);
    memcpy(steps, own, sizeof own);
    writer->transform = jpeg->fdct->forward_DCT;
    jpeg->fdct->forward_DCT = transform;
}

// libjpeg-turbo 3 has one more method, which moves the method that ends a pass.
static bool has_entropy_methods(void) {
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && LIBJPEG_TURBO_VERSION_NUMBER < 3000000
    return has_methods() && !dlsym(RTLD_DEFAULT, "jpeg12_write_scanlines");
#else
    return false;
#endif
}

static void count_symbols(cjpeg_writer *writer) {
    writer->code_maker = (chuffman_maker *)inner_function("jpeg_gen_optimal_table");
    if (!writer->code_maker) return;
    writer->jpeg.entropy->encode_mcu = count;
    writer->jpeg.entropy->finish_pass = make_codes;
}

static void set_up(cjpeg_writer *writer, const cjpeg_options *options) {
    j_compress_ptr jpeg = &writer->jpeg;
    jpeg->image_width = options->width;
    jpeg->image_height = options->height;
    jpeg->input_components = options->input == CJPEG_GREY ? 1 : 3;
    jpeg->in_color_space =
        options->input == CJPEG_GREY ? JCS_GRAYSCALE : options->input == CJPEG_RGB ? JCS_RGB : JCS_YCbCr;
    jpeg_set_defaults(jpeg);
    bool has_trellis = options->quality < finest && cjpeg_has_trellis();
    const steps *steps = has_trellis ? &for_trellis : &for_rounding;
    int scale = jpeg_quality_scaling(options->quality);
    jpeg_add_quant_table(jpeg, 0, steps->luma, scale, TRUE);
    jpeg_add_quant_table(jpeg, 1, steps->chroma, scale, TRUE);
    jpeg->optimize_coding = options->optimised;
    if (options->progressive) jpeg_simple_progression(jpeg);
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor =
        options->half_chroma && jpeg->num_components > 1 ? 2 : 1;
    jpeg->raw_data_in = options->input == CJPEG_PLANES;
    // JFIF's 18 bytes only state what decoders assume anyway.
    jpeg->write_JFIF_header = FALSE;
    if (has_trellis) {
        start_with_trellis(writer);
    } else {
        jpeg_start_compress(jpeg, TRUE);
    }
    // Each scan of a progressive file has its own symbols, which are not counted here.
    if (options->optimised && !options->progressive && has_entropy_methods()) count_symbols(writer);
}

cjpeg_writer *cjpeg_open(const cjpeg_options *options, cencoders_write write, void *context) {
    cjpeg_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->write = write;
    writer->context = context;
    writer->jpeg.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->errors.output_message = on_message;
    if (setjmp(writer->failed)) {
        cjpeg_close(writer);
        return NULL;
    }
    jpeg_create_compress(&writer->jpeg);
    writer->destination.init_destination = begin;
    writer->destination.empty_output_buffer = on_full;
    writer->destination.term_destination = on_end;
    writer->jpeg.dest = &writer->destination;
    int64_t start = now();
    if (options->input == CJPEG_PLANES && make_planes(writer, options)) longjmp(writer->failed, 1);
    set_up(writer, options);
    writer->nanoseconds += now() - start;
    return writer;
}

int cjpeg_row(cjpeg_writer *writer, const uint8_t *row) {
    if (setjmp(writer->failed)) return -1;
    int64_t start = now();
    JSAMPROW rows[1] = {(JSAMPROW)row};
    jpeg_write_scanlines(&writer->jpeg, rows, 1);
    writer->nanoseconds += now() - start;
    return 0;
}

static bool is_ready(const plane *plane) { return plane->filled == plane->rows_of_group || plane->rows_left == 0; }

// Repeats the last row to fill a group of rows below the picture.
static void fill_up(plane *plane) {
    if (plane->filled == 0) return;
    for (int y = plane->filled; y < plane->rows_of_group; y++) {
        memcpy(plane->rows[y], plane->rows[plane->filled - 1], plane->padded);
    }
    plane->filled = 0;
}

int cjpeg_plane_row(cjpeg_writer *writer, int index, const uint8_t *row) {
    plane *planes = writer->planes;
    plane *plane = &planes[index];
    if (plane->rows_left == 0 || plane->filled == plane->rows_of_group) return -1;
    uint8_t *to = plane->rows[plane->filled++];
    plane->rows_left--;
    memcpy(to, row, plane->width);
    memset(to + plane->width, row[plane->width - 1], plane->padded - plane->width);
    if (!is_ready(&planes[0]) || !is_ready(&planes[1]) || !is_ready(&planes[2])) return 0;

    if (setjmp(writer->failed)) return -1;
    int64_t start = now();
    int rows = planes[0].rows_of_group;
    for (int i = 0; i < 3; i++) fill_up(&planes[i]);
    JSAMPARRAY all[3] = {planes[0].rows, planes[1].rows, planes[2].rows};
    jpeg_write_raw_data(&writer->jpeg, all, rows);
    writer->nanoseconds += now() - start;
    return 0;
}

int cjpeg_finish(cjpeg_writer *writer) {
    if (setjmp(writer->failed)) return -1;
    int64_t start = now();
    jpeg_finish_compress(&writer->jpeg);
    // Without its codes the file is useless.
    if (writer->code_maker && !writer->has_codes) {
        snprintf(writer->words, sizeof writer->words, "no Huffman codes were made");
        return -1;
    }
    writer->nanoseconds += now() - start;
    return 0;
}

const char *cjpeg_error(const cjpeg_writer *writer) { return writer->words; }

int64_t cjpeg_nanoseconds(const cjpeg_writer *writer) { return writer->nanoseconds; }

void cjpeg_close(cjpeg_writer *writer) {
    // jpeg_destroy_compress() only frees memory and never calls longjmp().
    jpeg_destroy_compress(&writer->jpeg);
    free(writer->samples);
    free(writer);
}
