// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <unistd.h>

#include "Internal.h"

// MARK: The sink

int cvips_sink_write(cvips_sink *sink, const void *bytes, size_t length) {
    if (sink->over || sink->error) return -1;
    if ((int64_t)length > sink->limit - sink->length) {
        sink->over = true;
        return -1;
    }
    const char *next = bytes;
    while (length > 0) {
        ssize_t written = write(sink->descriptor, next, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            sink->error = written < 0 ? errno : EIO;
            return -1;
        }
        next += written;
        length -= written;
        sink->length += written;
    }
    return 0;
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
        vips(image), target, "Q", options->quality, "strip", TRUE, "subsample_mode",
        VIPS_FOREIGN_SUBSAMPLE_AUTO, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_png(cvips_image *image, cvips_sink *sink, const cvips_png_options *options) {
    VipsTarget *target = target_for(sink);
    VipsForeignPngFilter filter = options->filter ? VIPS_FOREIGN_PNG_FILTER_ALL : VIPS_FOREIGN_PNG_FILTER_NONE;
    int failed = options->palette_bits > 0
        ? vips_pngsave_target(
              vips(image), target, "compression", options->compression, "strip", TRUE, "filter", filter,
              "palette", TRUE, "bitdepth", options->palette_bits, "effort", 4, NULL)
        : vips_pngsave_target(
              vips(image), target, "compression", options->compression, "strip", TRUE, "filter", filter, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_gif(cvips_image *image, cvips_sink *sink, const cvips_gif_options *options) {
    VipsTarget *target = target_for(sink);
    int failed = vips_gifsave_target(vips(image), target, "effort", options->effort, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_avif(cvips_image *image, cvips_sink *sink, const cvips_web_options *options) {
    VipsTarget *target = target_for(sink);
    int failed = vips_heifsave_target(
        vips(image), target, "Q", options->quality, "effort", options->effort, "compression",
        VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "strip", TRUE, NULL);
    g_object_unref(target);
    return failed;
}

int cvips_save_webp(cvips_image *image, void **bytes, size_t *length, const cvips_web_options *options) {
    return vips_webpsave_buffer(
        vips(image), bytes, length, "Q", options->quality, "effort", options->effort, "strip", TRUE, NULL);
}

void cvips_free(void *bytes) { g_free(bytes); }
