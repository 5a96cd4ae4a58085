// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CEncoders.h"
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

static int on_bytes(void *sink, const void *bytes, size_t length) { return cvips_sink_write(sink, bytes, length); }

// Takes a row of pixels; returns 0 on success.
typedef int (*row_taker)(void *taker, int y, const uint8_t *row);

// Passes on rows of pixels, computed in the portions that suit the image's operations. Operations that prefer tiles are asked for
// tiles, as libvips' own encoders do. Otherwise each of a dozen operations would hold a rectangle of the picture's whole width, in
// floats and with a margin: 100 MB for a large picture.
static int give_rows(VipsImage *image, row_taker take, void *taker) {
    int tile_width, tile_height, lines;
    vips_get_tile_size(image, &tile_width, &tile_height, &lines);
    int step = VIPS_MAX(tile_height, 16), failed = 0;
    size_t pixel = VIPS_IMAGE_SIZEOF_PEL(image), stride = VIPS_IMAGE_SIZEOF_LINE(image);
    uint8_t *pixels = g_try_malloc(stride * step);
    if (!pixels) {
        vips_error("cvips_save", "%s", "out of memory");
        return -1;
    }
    VipsRegion *region = vips_region_new(image);
    for (int top = 0; top < image->Ysize && !failed; top += step) {
        int height = VIPS_MIN(step, image->Ysize - top);
        for (int left = 0; left < image->Xsize && !failed; left += tile_width) {
            VipsRect tile = {left, top, VIPS_MIN(tile_width, image->Xsize - left), height};
            failed = vips_region_prepare(region, &tile);
            for (int y = 0; y < height && !failed; y++) {
                memcpy(pixels + y * stride + left * pixel, VIPS_REGION_ADDR(region, left, top + y), tile.width * pixel);
            }
        }
        for (int y = 0; y < height && !failed; y++) failed = take(taker, top + y, pixels + y * stride);
    }
    g_object_unref(region);
    g_free(pixels);
    return failed;
}

static int take_for_jpeg(void *writer, int y, const uint8_t *row) { return cjpeg_row(writer, row); }

// libvips' own encoder is not used, because it knows only libjpeg's example quantisation tables, and takes two
// threads.
int cvips_save_jpeg(cvips_image *image, cvips_sink *sink, const cvips_jpeg_options *options) {
    VipsImage *in = vips(image);
    if ((in->Bands != 1 && in->Bands != 3) || in->BandFmt != VIPS_FORMAT_UCHAR || in->Coding != VIPS_CODING_NONE) {
        vips_error("cvips_save_jpeg", "%s", "neither grey nor RGB of 8 bits");
        return -1;
    }
    if (vips_image_pio_input(in)) return -1;
    cjpeg_writer *writer = cjpeg_open(
        &(cjpeg_options){
            .width = in->Xsize, .height = in->Ysize, .input = in->Bands == 1 ? CJPEG_GREY : CJPEG_RGB,
            .quality = options->quality, .half_chroma = options->half_chroma, .optimised = options->optimised,
            .progressive = options->progressive},
        on_bytes, sink);
    if (!writer) {
        vips_error("cvips_save_jpeg", "%s", "libjpeg does not begin");
        return -1;
    }
    int failed = give_rows(in, take_for_jpeg, writer) || cjpeg_finish(writer);
    if (failed && cjpeg_error(writer)[0]) vips_error("cvips_save_jpeg", "%s", cjpeg_error(writer));
    cjpeg_close(writer);
    return failed ? -1 : 0;
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
    bool is_shared;
    VipsImage *in = with_shared_palette(vips(image), options->effort, &is_shared);
    if (!in) return -1;
    VipsTarget *target = target_for(sink);
    // With a shared palette, dither would make the file larger again, and the frames less faithful.
    int failed = is_shared
        ? vips_gifsave_target(
              in, target, "effort", options->effort, "dither", 0.0, "interlace", options->interlaced, "reuse", TRUE, NULL)
        : vips_gifsave_target(
              in, target, "effort", options->effort, "dither", options->dither, "interlace", options->interlaced, NULL);
    g_object_unref(target);
    g_object_unref(in);
    return failed;
}

typedef struct {
    uint8_t *pixels;
    int stride, length;
} rows;

static int take_for_avif(void *taker, int y, const uint8_t *row) {
    rows *to = taker;
    memcpy(to->pixels + (size_t)y * to->stride, row, to->length);
    return 0;
}

// A picture counts as a drawing if at least this share of its pixels equal their left neighbours, and it has
// at most `most_colours` colours.
static const double drawing = 0.5;
enum { most_colours = 4096 };

static int write_avif(VipsImage *in, cavif_writer *writer, bool lossless) {
    rows to = {.length = in->Xsize * in->Bands};
    to.pixels = cavif_plane(writer, 0, &to.stride);
    if (give_rows(in, take_for_avif, &to)) return -1;
    // In lossless files, the tools for drawings never make a photograph larger.
    bool is_drawing = lossless ||
        flatness_of(to.pixels, to.stride, in->Xsize, in->Ysize, in->Bands, most_colours) >= drawing;
    return cavif_finish(writer, is_drawing);
}

// libvips' own encoder is not used, because before 8.15.3 it loses half of the chroma in "lossless" files. Eight bits only,
// because ten bits make libvips 8.14 fail an assertion of libaom.
int cvips_save_avif(cvips_image *image, cvips_sink *sink, const cvips_web_options *options) {
    VipsImage *in;
    if (vips_colourspace(vips(image), &in, VIPS_INTERPRETATION_sRGB, NULL)) return -1;
    if (in->Bands < 3 || in->Bands > 4 || in->BandFmt != VIPS_FORMAT_UCHAR || vips_image_pio_input(in)) {
        vips_error("cvips_save_avif", "%s", "not RGB of 8 bits");
        g_object_unref(in);
        return -1;
    }
    cavif_writer *writer = cavif_open(
        &(cavif_options){
            .width = in->Xsize, .height = in->Ysize, .input = in->Bands == 3 ? CAVIF_RGB : CAVIF_RGBA,
            .quality = options->quality, .effort = options->effort,
            .half_chroma = options->half_chroma && !options->lossless, .lossless = options->lossless,
            .notes = options->notes},
        on_bytes, sink);
    if (!writer) vips_error("cvips_save_avif", "%s", "libheif does not begin");
    int failed = writer ? write_avif(in, writer, options->lossless) : -1;
    if (writer && failed && cavif_error(writer)[0]) vips_error("cvips_save_avif", "%s", cavif_error(writer));
    if (writer) cavif_close(writer);
    g_object_unref(in);
    return failed ? -1 : 0;
}

int cvips_save_webp(cvips_image *image, void **bytes, size_t *length, const cvips_web_options *options) {
    // Each frame of an animation may be lossy or lossless, whichever is smaller.
    VipsImage *in = vips(image);
    gboolean mixed = !options->lossless && vips_image_get_page_height(in) < in->Ysize;
    return vips_webpsave_buffer(
        in, bytes, length, "Q", options->quality, "effort", options->effort, "lossless", options->lossless, "alpha_q",
        options->alpha_quality, "mixed", mixed, "strip", TRUE, NULL);
}

int cvips_save_tiff(cvips_image *image, cvips_sink *sink, const cvips_tiff_options *options) {
    // `strip` keeps the orientation, but the picture is upright already.
    VipsImage *in = NULL;
    if (vips_copy(vips(image), &in, NULL)) return -1;
    vips_image_remove(in, VIPS_META_ORIENTATION);
    // libtiff seeks back to fill in offsets, which a stream cannot do, so the file is made in memory.
    void *bytes = NULL;
    size_t length = 0;
    int failed = options->quality > 0
        ? vips_tiffsave_buffer(
              in, &bytes, &length, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_JPEG, "Q", options->quality,
              "strip", TRUE, NULL)
        : vips_tiffsave_buffer(
              in, &bytes, &length, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_LZW, "predictor",
              VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL, "strip", TRUE, NULL);
    g_object_unref(in);
    if (!failed) failed = cvips_sink_write(sink, bytes, length);
    g_free(bytes);
    return failed;
}

int cvips_save_jxl(cvips_image *image, cvips_sink *sink, const cvips_web_options *options) {
    VipsTarget *target = target_for(sink);
    // Below quality 5, libvips before 8.14.3 computes a distance that libjxl refuses, and the file is written with the default
    // distance, that of quality 90.
    int quality = is_since(8, 14, 3) ? options->quality : VIPS_MAX(options->quality, 5);
    // A distance of 0 is lossless, and takes precedence over the quality.
    int failed = options->lossless
        ? vips_jxlsave_target(
              vips(image), target, "lossless", TRUE, "effort", options->effort, "strip", TRUE, NULL)
        : vips_jxlsave_target(
              vips(image), target, "Q", quality, "effort", options->effort, "strip", TRUE, NULL);
    g_object_unref(target);
    return failed;
}

void cvips_free(void *bytes) { g_free(bytes); }
