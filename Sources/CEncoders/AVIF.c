// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <libheif/heif.h>

#include "CEncoders.h"

struct cavif_writer {
    cavif_options options;
    cencoders_write write;
    void *context;
    struct heif_image *image;
    uint8_t *exif;
    int64_t nanoseconds;
    bool is_refused;
    char words[256];
};

static const enum heif_channel channels[3] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};

static int failed(cavif_writer *writer, struct heif_error error) {
    if (error.code == heif_error_Ok) return 0;
    if (!writer->is_refused && !writer->words[0]) {
        snprintf(writer->words, sizeof writer->words, "%s", error.message ? error.message : "libheif failed");
    }
    return -1;
}

// MARK: The start

// From Debian 13 on, each of libheif's coders is a file of its own. heif_init() opens every file in the coders' folder,
// and libvips calls it for the first picture, when the jailed process cannot open files any more. So heif_init() is
// called at the start, with an existing folder that has no coders, and the wanted coders are opened by hand, from the
// folder beside the library in use. A libheif with a built-in coder has no such file and needs none.
bool cavif_start(void) {
    setenv("LIBHEIF_PLUGIN_PATH", "/", 1);
    heif_init(NULL);
    unsetenv("LIBHEIF_PLUGIN_PATH");

    Dl_info library;
    if (dladdr((void *)heif_init, &library) && library.dli_fname) {
        const char *slash = strrchr(library.dli_fname, '/');
        int folder = slash ? (int)(slash - library.dli_fname) : 0;
        static const char *const coders[] = {"aomenc", "dav1d", "aomdec", "libde265"};
        for (size_t i = 0; i < sizeof coders / sizeof *coders; i++) {
            char path[4096];
            snprintf(path, sizeof path, "%.*s/libheif/plugins/libheif-%s.so", folder, library.dli_fname, coders[i]);
            const struct heif_plugin_info *loaded;
            // For a missing file, libheif would print a line.
            if (access(path, R_OK) == 0) heif_load_plugin(path, &loaded);
        }
    }
    return heif_have_encoder_for_format(heif_compression_AV1) != 0;
}

// MARK: The picture

static int add_planes(cavif_writer *writer) {
    int width = writer->options.width, height = writer->options.height;
    if (writer->options.input != CAVIF_PLANES) {
        enum heif_chroma chroma = writer->options.input == CAVIF_RGB ? heif_chroma_interleaved_RGB
                                                                     : heif_chroma_interleaved_RGBA;
        return failed(writer, heif_image_create(width, height, heif_colorspace_RGB, chroma, &writer->image)) ||
               failed(writer, heif_image_add_plane(writer->image, heif_channel_interleaved, width, height, 8));
    }
    int density = writer->options.half_chroma ? 2 : 1;
    enum heif_chroma chroma = density == 2 ? heif_chroma_420 : heif_chroma_444;
    if (failed(writer, heif_image_create(width, height, heif_colorspace_YCbCr, chroma, &writer->image))) return -1;
    for (int i = 0; i < 3; i++) {
        int step = i ? density : 1;
        int across = (width + step - 1) / step, down = (height + step - 1) / step;
        if (failed(writer, heif_image_add_plane(writer->image, channels[i], across, down, 8))) return -1;
    }
    return 0;
}

static int add_notes(cavif_writer *writer) {
    cencoders_notes *notes = &writer->options.notes;
    if (notes->exif) {
        writer->exif = malloc(notes->exif_length);
        if (!writer->exif) return -1;
        memcpy(writer->exif, notes->exif, notes->exif_length);
        notes->exif = writer->exif;
    }
    if (!notes->profile) return 0;
    return failed(
        writer, heif_image_set_raw_color_profile(writer->image, "prof", notes->profile, notes->profile_length));
}

cavif_writer *cavif_open(const cavif_options *options, cencoders_write write, void *context) {
    cavif_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->options = *options;
    writer->write = write;
    writer->context = context;
    if (add_planes(writer) || add_notes(writer)) {
        cavif_close(writer);
        return NULL;
    }
    return writer;
}

uint8_t *cavif_plane(cavif_writer *writer, int plane, int *stride) {
    bool is_planar = writer->options.input == CAVIF_PLANES;
    return heif_image_get_plane(writer->image, is_planar ? channels[plane] : heif_channel_interleaved, stride);
}

// MARK: The file

static struct heif_error on_bytes(struct heif_context *context, const void *bytes, size_t length, void *taker) {
    cavif_writer *writer = taker;
    struct heif_error error = {heif_error_Ok, heif_suberror_Unspecified, ""};
    if (writer->write(writer->context, bytes, length)) {
        writer->is_refused = true;
        error.code = heif_error_Encoding_error;
    }
    return error;
}

// Encodes with a colr box of code points: the matrix of BT.601, full range, and unspecified primaries and transfer.
// libheif 1.15 writes such a box by default, and 1.23 does not. A profile gets a colr box of its own beside it.
//
// Y, Cb and Cr of 8 bits cannot represent all colours exactly. So a lossless file stores green, blue and red with the
// identity matrix. libheif 1.15 reads the matrix from the picture, and later versions from the options.
static int encode_with_code_points(
    cavif_writer *writer, struct heif_context *context, struct heif_encoder *encoder, struct heif_image_handle **handle) {
    struct heif_encoding_options *options = heif_encoding_options_alloc();
    struct heif_color_profile_nclx *points = heif_nclx_color_profile_alloc();
    int result = -1;
    if (options && points) {
        points->color_primaries = heif_color_primaries_unspecified;
        points->transfer_characteristics = heif_transfer_characteristic_unspecified;
        points->matrix_coefficients = writer->options.lossless ? heif_matrix_coefficients_RGB_GBR
                                                               : heif_matrix_coefficients_ITU_R_BT_601_6;
        points->full_range_flag = 1;
        options->output_nclx_profile = points;
        options->macOS_compatibility_workaround_no_nclx_profile = 0;
        options->save_two_colr_boxes_when_ICC_and_nclx_available = 1;
        if (writer->options.lossless) heif_image_set_nclx_color_profile(writer->image, points);
        result = failed(writer, heif_context_encode_image(context, writer->image, encoder, options, handle));
    }
    if (options) heif_encoding_options_free(options);
    if (points) heif_nclx_color_profile_free(points);
    return result;
}

static int encode(cavif_writer *writer, struct heif_context *context, struct heif_encoder *encoder, bool is_drawing) {
    const cavif_options *options = &writer->options;
    const char *chroma = options->half_chroma ? "420" : "444";
    if (failed(writer, heif_encoder_set_lossy_quality(encoder, options->quality)) ||
        failed(writer, heif_encoder_set_lossless(encoder, options->lossless)) ||
        failed(writer, heif_encoder_set_parameter_integer(encoder, "speed", 9 - options->effort)) ||
        failed(writer, heif_encoder_set_parameter_string(encoder, "chroma", chroma))) {
        return -1;
    }
    // libaom takes some photographs for screen content, and then writes twice the bytes. These parameters forbid
    // that. An encoder that does not know their names does not need them.
    if (!is_drawing) {
        heif_encoder_set_parameter(encoder, "aom:enable-palette", "0");
        heif_encoder_set_parameter(encoder, "aom:enable-intrabc", "0");
    }
    struct heif_image_handle *handle = NULL;
    int result = encode_with_code_points(writer, context, encoder, &handle);
    if (!result && writer->exif) {
        int length = (int)options->notes.exif_length;
        result = failed(writer, heif_context_add_exif_metadata(context, handle, writer->exif, length));
    }
    if (handle) heif_image_handle_release(handle);
    if (result) return -1;
    struct heif_writer taker = {.writer_api_version = 1, .write = on_bytes};
    return failed(writer, heif_context_write(context, &taker, writer));
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int cavif_finish(cavif_writer *writer, bool is_drawing) {
    int64_t start = now();
    struct heif_encoder *encoder = NULL;
    struct heif_context *context = heif_context_alloc();
    int result =
        context ? failed(writer, heif_context_get_encoder_for_format(context, heif_compression_AV1, &encoder)) : -1;
    if (!result) result = encode(writer, context, encoder, is_drawing);
    if (encoder) heif_encoder_release(encoder);
    if (context) heif_context_free(context);
    writer->nanoseconds = now() - start;
    return result;
}

const char *cavif_error(const cavif_writer *writer) { return writer->words; }

int64_t cavif_nanoseconds(const cavif_writer *writer) { return writer->nanoseconds; }

void cavif_close(cavif_writer *writer) {
    if (writer->image) heif_image_release(writer->image);
    free(writer->exif);
    free(writer);
}
