// SPDX-License-Identifier: Apache-2.0
//
// Temporal noise reduction for GIF. libvips writes pixels that equal the frame before as transparent, which takes few bytes.
// But even where nothing moves, frames of real files differ a little, because each has its own palette and dither, or a
// camera's noise, which resizing spreads. So a block of pixels stays as it was last shown while its difference is noise: small
// in each pixel, and close to 0 on average, in the whole block and along each of its rows and columns. The averages
// distinguish noise from a slow change, and from what a faint line leaves behind. Blocks are compared with what is shown and
// not with the frame before, so that errors do not add up.
//
// libvips' own interframe_maxerror looks at single pixels. It keeps some of them in moving parts, where scattered transparent
// pixels cost bytes, and lets a slow change grow as large as the tolerance.
#include <stdlib.h>

#include "Internal.h"

enum {
    /// The side of a block in pixels.
    side = 8,
    /// The largest mean difference in a channel that counts as noise: of the block, and of a row or a column
    /// of it.
    most_mean = 1,
    most_line = 4,
    /// The largest distance of a pixel in RGB that counts as noise.
    most_pixel = 16,
    /// From this alpha on, libvips takes a pixel for opaque.
    opaque = 128,
};

/// What was last shown at each place, and the last row of blocks that was compared, counted over all frames.
typedef struct {
    VipsRegion *rows;
    uint8_t *shown;
    int block;
} steady_work;

static void *start(VipsImage *out, void *in, void *height) {
    steady_work *work = g_new0(steady_work, 1);
    work->rows = vips_region_new(in);
    work->shown = g_malloc0((size_t)out->Xsize * GPOINTER_TO_INT(height) * out->Bands);
    work->block = -1;
    return work;
}

static int stop(void *sequence, void *in, void *height) {
    steady_work *work = sequence;
    VIPS_UNREF(work->rows);
    g_free(work->shown);
    g_free(work);
    return 0;
}

/// The pixels of a block: its first row, and the bytes from one row to the next.
typedef struct {
    const uint8_t *row;
    size_t stride;
} block_pixels;

/// False also for a partly transparent block, so that the edges of a shape are always updated.
static gboolean is_noise(block_pixels old, block_pixels new, int width, int height, int bands) {
    int channels = bands < 3 ? 1 : 3, block[3] = {0}, columns[side][3] = {{0}};
    for (int y = 0; y < height; y++, old.row += old.stride, new.row += new.stride) {
        const uint8_t *before = old.row, *after = new.row;
        int row[3] = {0};
        for (int x = 0; x < width; x++, before += bands, after += bands) {
            if (bands > channels && (before[channels] < opaque || after[channels] < opaque)) return FALSE;
            int square = 0;
            for (int i = 0; i < channels; i++) {
                int difference = after[i] - before[i];
                square += difference * difference;
                row[i] += difference;
                columns[x][i] += difference;
            }
            if (square * 3 > most_pixel * most_pixel * channels) return FALSE;
        }
        for (int i = 0; i < channels; i++) {
            if (abs(row[i]) > most_line * width) return FALSE;
            block[i] += row[i];
        }
    }
    for (int i = 0; i < channels; i++) {
        if (abs(block[i]) > most_mean * width * height) return FALSE;
        for (int x = 0; x < width; x++)
            if (abs(columns[x][i]) > most_line * height) return FALSE;
    }
    return TRUE;
}

/// Updates what is shown in one row of blocks of a frame, from row `top` on.
static int look_at(steady_work *work, int frame, int top, int frame_height) {
    VipsImage *in = work->rows->im;
    int bands = in->Bands, height = VIPS_MIN(side, frame_height - top);
    VipsRect part = {0, frame * frame_height + top, in->Xsize, height};
    if (vips_region_prepare(work->rows, &part)) return -1;
    size_t stride = (size_t)in->Xsize * bands;
    for (int left = 0; left < in->Xsize; left += side) {
        int width = VIPS_MIN(side, in->Xsize - left);
        uint8_t *to = work->shown + top * stride + (size_t)left * bands;
        const uint8_t *from = VIPS_REGION_ADDR(work->rows, left, part.top);
        block_pixels new = {from, VIPS_REGION_LSKIP(work->rows)};
        if (frame > 0 && is_noise((block_pixels){to, stride}, new, width, height, bands)) continue;
        for (int y = 0; y < height; y++) memcpy(to + y * stride, from + y * new.stride, (size_t)width * bands);
    }
    return 0;
}

static int generate(VipsRegion *out, void *sequence, void *in, void *frame_height, gboolean *end) {
    steady_work *work = sequence;
    VipsRect *area = &out->valid;
    int height = GPOINTER_TO_INT(frame_height), bands = out->im->Bands, blocks = (height + side - 1) / side;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area); y++) {
        int frame = y / height, row = y % height, block = frame * blocks + row / side;
        if (block != work->block) {
            // While rows of the block are missing, no block is valid.
            work->block = -1;
            if (look_at(work, frame, row / side * side, height)) return -1;
            work->block = block;
        }
        const uint8_t *from = work->shown + ((size_t)row * out->im->Xsize + area->left) * bands;
        memcpy(VIPS_REGION_ADDR(out, area->left, y), from, (size_t)area->width * bands);
    }
    return 0;
}

cvips_image *cvips_steady(cvips_image *image) {
    VipsImage *in = vips(image);
    int height = vips_image_get_page_height(in);
    if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands > 4 || height >= in->Ysize) return cvips_retain(image);
    VipsImage *out = vips_image_new();
    int failed = vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL) ||
        vips_image_generate(out, start, generate, stop, in, GINT_TO_POINTER(height));
    return generated(failed, out, in);
}
