// SPDX-License-Identifier: Apache-2.0
//
// An animation for libvips' encoders, which want its frames one below the other and ask for the rows from top
// to bottom, once: the frames are made one after the other. vips_arrayjoin() would want all of them at once,
// each with its own loops, caches and buffers, and looks through all for every few rows.
#include "Internal.h"

typedef struct {
    cvips_make_frame make;
    void (*release)(void *);
    void *context;
} frame_source;

/// The frame whose rows were last asked for.
typedef struct {
    int index;
    VipsImage *frame;
    VipsRegion *rows;
} frame_at_hand;

static void *start(VipsImage *out, void *first, void *source) { return g_new0(frame_at_hand, 1); }

static void let_go(frame_at_hand *hand) {
    VIPS_UNREF(hand->rows);
    VIPS_UNREF(hand->frame);
}

static int stop(void *sequence, void *first, void *source) {
    let_go(sequence);
    g_free(sequence);
    return 0;
}

static int take(frame_at_hand *hand, int index, VipsImage *first, frame_source *source) {
    if (hand->rows && hand->index == index) return 0;
    let_go(hand);
    hand->index = index;
    hand->frame = index == 0 ? g_object_ref(first) : vips(source->make(source->context, index));
    if (!hand->frame) return -1;
    if (hand->frame->Xsize != first->Xsize || hand->frame->Ysize != first->Ysize ||
        hand->frame->Bands != first->Bands || hand->frame->BandFmt != first->BandFmt) {
        vips_error("frames", "frame %d differs from the first", index);
        return -1;
    }
    hand->rows = vips_region_new(hand->frame);
    return hand->rows ? 0 : -1;
}

static int generate(VipsRegion *out, void *sequence, void *opaque, void *source, gboolean *end) {
    VipsImage *first = opaque;
    frame_at_hand *hand = sequence;
    VipsRect *area = &out->valid;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area);) {
        int top = y % first->Ysize, index = y / first->Ysize;
        int height = VIPS_MIN(first->Ysize - top, VIPS_RECT_BOTTOM(area) - y);
        VipsRect part = {area->left, top, area->width, height};
        if (take(hand, index, first, source) || vips_region_prepare_to(hand->rows, out, &part, area->left, y)) return -1;
        y += height;
    }
    return 0;
}

static void release_source(gpointer opaque) {
    frame_source *source = opaque;
    source->release(source->context);
    g_free(source);
}

cvips_image *cvips_frames(
    cvips_image *first, int count, cvips_make_frame make, void (*release)(void *context), void *context) {
    VipsImage *out = vips_image_new();
    frame_source *source = g_new0(frame_source, 1);
    *source = (frame_source){make, release, context};
    // Released when the last region is gone, and with it the last sequence.
    g_object_set_data_full(G_OBJECT(out), "pictor-frames", source, release_source);
    g_object_ref(first);
    vips_object_local(out, VIPS_OBJECT(first));
    if (vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, vips(first), NULL)) {
        g_object_unref(out);
        return NULL;
    }
    int64_t height = (int64_t)vips(first)->Ysize * count;
    if (height > VIPS_MAX_COORD) {
        vips_error("frames", "%d frames are too many rows", count);
        g_object_unref(out);
        return NULL;
    }
    out->Ysize = height;
    if (vips_image_generate(out, start, generate, stop, first, source)) {
        g_object_unref(out);
        return NULL;
    }
    return ours(out);
}
