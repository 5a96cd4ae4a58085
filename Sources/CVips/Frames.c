// SPDX-License-Identifier: Apache-2.0
//
// An animation for libvips' encoders, which expect the frames one below the other and ask for the rows once, from
// top to bottom. So the frames are made one after the other. vips_arrayjoin() would need all of them at once, each
// with its own loops, caches and buffers, and searches all of them for every few rows.
//
// The steps of a frame are built only once if possible, because building them takes longer than running them on a
// small frame. They read from a window, an image in memory. Each further frame is copied into the window, and
// libvips is told that everything computed from it is invalid. Steps that need pixels in any order read from a copy in memory,
// cvips_buffered(), which is filled again for each frame. Steps that compute pixels while they are built, as cvips_to_memory()
// does, would keep the old frame, so these are built anew for each frame.
#include "Internal.h"

_Thread_local unsigned cvips_pixels_made_at_once;

/// A copy in memory among the steps of a frame.
typedef struct {
    VipsImage *from, *copy;
} buffered_image;

/// The copies of the frame whose steps are being built, in the order in which they are filled; NULL while none is built.
static _Thread_local GArray *buffered;

typedef struct {
    cvips_make_frame make;
    void (*release)(void *);
    void *context;
    VipsImage *strip;
    int height;
} frame_source;

/// The frame whose rows were asked for last.
typedef struct {
    int index;
    VipsImage *frame;
    VipsRegion *rows;
    /// Rows of the frame that were computed ahead, from `top` to before `bottom`, for steps that prefer
    /// tiles.
    uint8_t *ahead;
    int top, bottom;
    /// The pixels of a frame before the steps.
    VipsImage *window;
    VipsRegion *strip_rows;
    /// True if the frame's steps read from the window and can be repeated with other pixels.
    gboolean repeats;
    /// The copies in memory among the frame's steps, as `buffered_image`.
    GArray *copies;
} frame_at_hand;

static void *start(VipsImage *out, void *first, void *source) {
    frame_at_hand *hand = g_new0(frame_at_hand, 1);
    hand->copies = g_array_new(FALSE, FALSE, sizeof(buffered_image));
    return hand;
}

static void let_go(frame_at_hand *hand) {
    VIPS_UNREF(hand->rows);
    VIPS_UNREF(hand->frame);
    for (guint i = 0; i < hand->copies->len; i++) {
        buffered_image *one = &g_array_index(hand->copies, buffered_image, i);
        g_object_unref(one->copy);
        g_object_unref(one->from);
    }
    g_array_set_size(hand->copies, 0);
}

static int stop(void *sequence, void *first, void *source) {
    frame_at_hand *hand = sequence;
    let_go(hand);
    VIPS_UNREF(hand->strip_rows);
    VIPS_UNREF(hand->window);
    g_array_free(hand->copies, TRUE);
    g_free(hand->ahead);
    g_free(hand);
    return 0;
}

/// Opens an image in memory like the strip, but with one frame. Its rows may be read in any order.
static int open_window(frame_at_hand *hand, frame_source *source) {
    VipsImage *window = hand->window = vips_image_new_memory();
    if (vips_image_pipelinev(window, VIPS_DEMAND_STYLE_ANY, source->strip, NULL)) return -1;
    window->Ysize = source->height;
    vips_image_remove(window, VIPS_META_SEQUENTIAL);
    hand->strip_rows = vips_region_new(source->strip);
    return hand->strip_rows ? vips_image_write_prepare(window) : -1;
}

/// Copies a frame of the strip into the window, from top to bottom.
static int fill_window(frame_at_hand *hand, int index, frame_source *source) {
    VipsImage *window = hand->window;
    size_t length = VIPS_IMAGE_SIZEOF_LINE(window);
    for (int top = 0; top < source->height; top += VIPS__FATSTRIP_HEIGHT) {
        int height = VIPS_MIN(VIPS__FATSTRIP_HEIGHT, source->height - top);
        VipsRect part = {0, index * source->height + top, window->Xsize, height};
        if (vips_region_prepare(hand->strip_rows, &part)) return -1;
        for (int y = 0; y < height; y++)
            memcpy(VIPS_IMAGE_ADDR(window, 0, top + y), VIPS_REGION_ADDR(hand->strip_rows, 0, part.top + y), length);
    }
    return 0;
}

// MARK: Copies in memory

/// Computes all pixels of an image, tile by tile, into one in memory.
static int fill(VipsImage *copy, VipsImage *from) {
    int tile_width, tile_height, lines, failed = 0;
    vips_get_tile_size(from, &tile_width, &tile_height, &lines);
    tile_height = VIPS_MAX(tile_height, VIPS__FATSTRIP_HEIGHT);
    VipsRegion *region = vips_region_new(from);
    size_t pel = VIPS_IMAGE_SIZEOF_PEL(from);
    for (int top = 0; top < from->Ysize && !failed; top += tile_height) {
        for (int left = 0; left < from->Xsize && !failed; left += tile_width) {
            VipsRect tile = {
                left, top, VIPS_MIN(tile_width, from->Xsize - left), VIPS_MIN(tile_height, from->Ysize - top)};
            failed = vips_region_prepare(region, &tile);
            for (int y = top; y < VIPS_RECT_BOTTOM(&tile) && !failed; y++)
                memcpy(VIPS_IMAGE_ADDR(copy, left, y), VIPS_REGION_ADDR(region, left, y), tile.width * pel);
        }
    }
    g_object_unref(region);
    return failed ? -1 : 0;
}

/// Fills the copies of a frame that was made before with the pixels that are in the window now.
static int refill(frame_at_hand *hand) {
    vips_image_invalidate_all(hand->window);
    for (guint i = 0; i < hand->copies->len; i++) {
        buffered_image *one = &g_array_index(hand->copies, buffered_image, i);
        if (fill(one->copy, one->from)) return -1;
        vips_image_invalidate_all(one->copy);
    }
    return 0;
}

cvips_image *cvips_buffered(cvips_image *image) {
    if (!buffered) return cvips_to_memory(image);
    VipsImage *from = vips(image), *copy = vips_image_new_memory();
    if (vips_image_pipelinev(copy, VIPS_DEMAND_STYLE_ANY, from, NULL) || vips_image_write_prepare(copy) ||
        fill(copy, from)) {
        g_object_unref(copy);
        return NULL;
    }
    buffered_image one = {g_object_ref(from), g_object_ref(copy)};
    g_array_append_val(buffered, one);
    return ours(copy);
}

// MARK: Frames

static int make(frame_at_hand *hand, int index, VipsImage *first, frame_source *source) {
    if (!hand->window && open_window(hand, source)) return -1;
    if (fill_window(hand, index, source)) return -1;
    if (hand->repeats) return refill(hand);
    let_go(hand);
    unsigned made = cvips_pixels_made_at_once;
    GArray *outer = buffered;
    buffered = hand->copies;
    hand->frame = vips(source->make(source->context, ours(hand->window)));
    buffered = outer;
    if (!hand->frame) return -1;
    hand->repeats = cvips_pixels_made_at_once == made;
    if (hand->frame->Xsize != first->Xsize || hand->frame->Ysize != first->Ysize ||
        hand->frame->Bands != first->Bands || hand->frame->BandFmt != first->BandFmt) {
        vips_error("frames", "frame %d differs from the first", index);
        return -1;
    }
    hand->rows = vips_region_new(hand->frame);
    return hand->rows ? 0 : -1;
}

static int take(frame_at_hand *hand, int index, VipsImage *first, frame_source *source) {
    if (hand->rows && hand->index == index) return 0;
    hand->bottom = 0;
    if (index > 0) {
        // While the window is partly filled, it belongs to no frame.
        hand->index = -1;
        if (make(hand, index, first, source)) return -1;
        hand->index = index;
        return 0;
    }
    hand->index = 0;
    let_go(hand);
    hand->repeats = FALSE;
    hand->frame = g_object_ref(first);
    hand->rows = vips_region_new(first);
    return hand->rows ? 0 : -1;
}

/// Computes a row of tiles of the frame, tile by tile.
static int make_ahead(frame_at_hand *hand, int top) {
    VipsImage *frame = hand->frame;
    size_t line = VIPS_IMAGE_SIZEOF_LINE(frame), pel = VIPS_IMAGE_SIZEOF_PEL(frame);
    int height = VIPS_MIN(VIPS__TILE_HEIGHT, frame->Ysize - top);
    if (!hand->ahead) hand->ahead = g_malloc(line * VIPS__TILE_HEIGHT);
    // While some tiles are missing, no rows are valid.
    hand->bottom = 0;
    for (int left = 0; left < frame->Xsize; left += VIPS__TILE_WIDTH) {
        VipsRect tile = {left, top, VIPS_MIN(VIPS__TILE_WIDTH, frame->Xsize - left), height};
        if (vips_region_prepare(hand->rows, &tile)) return -1;
        for (int y = 0; y < height; y++)
            memcpy(hand->ahead + y * line + left * pel, VIPS_REGION_ADDR(hand->rows, left, top + y), tile.width * pel);
    }
    hand->top = top;
    hand->bottom = top + height;
    return 0;
}

/// Copies rows of the current frame. Steps that look at neighbouring pixels, such as a blur, prefer tiles: a few rows at a
/// time would compute the rows above and below again and again, and whole rows hold much memory.
static int give(frame_at_hand *hand, VipsRegion *out, VipsRect *part, int y) {
    VipsImage *frame = hand->frame;
    if (frame->dhint != VIPS_DEMAND_STYLE_SMALLTILE)
        return vips_region_prepare_to(hand->rows, out, part, part->left, y);
    size_t line = VIPS_IMAGE_SIZEOF_LINE(frame), pel = VIPS_IMAGE_SIZEOF_PEL(frame);
    for (int row = part->top; row < VIPS_RECT_BOTTOM(part); row++, y++) {
        if ((row < hand->top || row >= hand->bottom) && make_ahead(hand, row - row % VIPS__TILE_HEIGHT)) return -1;
        const uint8_t *from = hand->ahead + (row - hand->top) * line + part->left * pel;
        memcpy(VIPS_REGION_ADDR(out, part->left, y), from, part->width * pel);
    }
    return 0;
}

static int generate(VipsRegion *out, void *sequence, void *opaque, void *source, gboolean *end) {
    VipsImage *first = opaque;
    frame_at_hand *hand = sequence;
    VipsRect *area = &out->valid;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area);) {
        int top = y % first->Ysize, index = y / first->Ysize;
        int height = VIPS_MIN(first->Ysize - top, VIPS_RECT_BOTTOM(area) - y);
        VipsRect part = {area->left, top, area->width, height};
        if (take(hand, index, first, source) || give(hand, out, &part, y)) return -1;
        y += height;
    }
    return 0;
}

static void release_source(gpointer opaque) {
    frame_source *source = opaque;
    source->release(source->context);
    g_object_unref(source->strip);
    g_free(source);
}

cvips_image *cvips_frames(
    cvips_image *first, cvips_image *strip, int count, cvips_make_frame make, void (*release)(void *context),
    void *context) {
    VipsImage *in = vips(first), *out = vips_image_new();
    frame_source *source = g_new0(frame_source, 1);
    *source = (frame_source){make, release, context, g_object_ref(vips(strip)), vips(strip)->Ysize / count};
    // Released together with the image, when its last region and its last sequence are gone.
    g_object_set_data_full(G_OBJECT(out), "pictor-frames", source, release_source);
    int64_t height = (int64_t)in->Ysize * count;
    int failed = vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL);
    if (!failed && height > VIPS_MAX_COORD) {
        vips_error("frames", "%d frames are too many rows", count);
        failed = -1;
    }
    if (!failed) {
        // Whole rows, whatever the steps prefer, because tiles side by side would ask for the same frames again and
        // again.
        out->dhint = VIPS_DEMAND_STYLE_FATSTRIP;
        out->Ysize = height;
        failed = vips_image_generate(out, start, generate, stop, in, source);
    }
    return generated(failed, out, in);
}
