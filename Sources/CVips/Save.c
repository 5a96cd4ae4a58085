// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "Internal.h"

// MARK: The sink

static int write_all(int descriptor, const char *next, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, next, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        next += written;
        length -= written;
    }
    return 0;
}

static int collect(cvips_sink *sink, const void *bytes, size_t length) {
    int64_t wanted = sink->length + length;
    if (wanted > sink->capacity) {
        int64_t capacity = wanted < 32 * 1024 ? 64 * 1024 : wanted * 2;
        uint8_t *grown = realloc(sink->bytes, capacity);
        if (!grown) return ENOMEM;
        sink->bytes = grown;
        sink->capacity = capacity;
    }
    memcpy(sink->bytes + sink->length, bytes, length);
    return 0;
}

int cvips_sink_write(cvips_sink *sink, const void *bytes, size_t length) {
    if (sink->over || sink->error) return -1;
    if ((int64_t)length > sink->limit - sink->length) {
        sink->over = true;
        return -1;
    }
    sink->error = sink->collects ? collect(sink, bytes, length) : write_all(sink->descriptor, bytes, length);
    if (sink->error) return -1;
    sink->length += length;
    return 0;
}

void cvips_sink_clear(cvips_sink *sink) {
    free(sink->bytes);
    sink->bytes = NULL;
    sink->capacity = sink->length = 0;
}

static gint64 on_write(VipsTargetCustom *target, const void *bytes, gint64 length, cvips_sink *sink) {
    return cvips_sink_write(sink, bytes, length) ? -1 : length;
}

static VipsTarget *target_for(cvips_sink *sink) {
    VipsTargetCustom *target = vips_target_custom_new();
    g_signal_connect(target, "write", G_CALLBACK(on_write), sink);
    return VIPS_TARGET(target);
}

// MARK: The encoders

int cvips_save_jpeg(cvips_image *image, cvips_sink *sink, const cvips_jpeg_options *options) {
    VipsTarget *target = target_for(sink);
    // Subsampling "auto" is 4:2:0 below quality 90 and 4:4:4 from there on.
    int failed = vips_jpegsave_target(
        vips(image), target, "Q", options->quality, "strip", TRUE, "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_AUTO,
        "optimize_coding", options->optimised, "interlace", options->progressive, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_png(cvips_image *image, cvips_sink *sink, const cvips_png_options *options) {
    VipsTarget *target = target_for(sink);
    VipsForeignPngFilter filter = options->filter ? VIPS_FOREIGN_PNG_FILTER_ALL : VIPS_FOREIGN_PNG_FILTER_NONE;
    int failed = options->palette_bits > 0
        ? vips_pngsave_target(
              vips(image), target, "compression", options->compression, "strip", TRUE, "filter", filter,
              "interlace", options->interlaced, "palette", TRUE, "bitdepth", options->palette_bits, "effort", 4,
              NULL)
        : vips_pngsave_target(
              vips(image), target, "compression", options->compression, "strip", TRUE, "filter", filter,
              "interlace", options->interlaced, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_gif(cvips_image *image, cvips_sink *sink, const cvips_gif_options *options) {
    VipsTarget *target = target_for(sink);
    int failed = vips_gifsave_target(
        vips(image), target, "effort", options->effort, "dither", options->dither, "interlace", options->interlaced,
        NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_avif(cvips_image *image, cvips_sink *sink, const cvips_web_options *options) {
    VipsTarget *target = target_for(sink);
    // Subsampling "auto" as for JPEG. Eight bits only: with ten, libvips 8.14 trips an assertion of libaom.
    int failed = vips_heifsave_target(
        vips(image), target, "Q", options->quality, "effort", options->effort, "lossless", options->lossless,
        "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "strip", TRUE, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_webp(cvips_image *image, void **bytes, size_t *length, const cvips_web_options *options) {
    return vips_webpsave_buffer(
        vips(image), bytes, length, "Q", options->quality, "effort", options->effort, "lossless",
        options->lossless, "alpha_q", options->alpha_quality, "strip", TRUE, NULL);
}

int cvips_save_tiff(cvips_image *image, cvips_sink *sink, const cvips_tiff_options *options) {
    // libtiff goes back to fill in offsets, which a stream of bytes does not let it: the file is made in memory.
    void *bytes = NULL;
    size_t length = 0;
    int failed = options->quality > 0
        ? vips_tiffsave_buffer(
              vips(image), &bytes, &length, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_JPEG, "Q",
              options->quality, "strip", TRUE, NULL)
        : vips_tiffsave_buffer(
              vips(image), &bytes, &length, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_LZW, "predictor",
              VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL, "strip", TRUE, NULL);
    if (!failed) failed = cvips_sink_write(sink, bytes, length);
    g_free(bytes);
    return failed;
}

int cvips_save_jxl(cvips_image *image, cvips_sink *sink, const cvips_web_options *options) {
    VipsTarget *target = target_for(sink);
    // A distance of 0 is lossless, and takes precedence over the quality.
    int failed = options->lossless
        ? vips_jxlsave_target(
              vips(image), target, "lossless", TRUE, "effort", options->effort, "strip", TRUE, NULL)
        : vips_jxlsave_target(
              vips(image), target, "Q", options->quality, "effort", options->effort, "strip", TRUE, NULL);
    g_object_unref(target);
    return failed;
}

void cvips_free(void *bytes) { g_free(bytes); }
