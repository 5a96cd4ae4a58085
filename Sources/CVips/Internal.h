// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vips/vips.h>

#include "CVips.h"

static inline VipsImage *vips(cvips_image *image) { return (VipsImage *)image; }
static inline cvips_image *ours(VipsImage *image) { return (cvips_image *)image; }

/// What an operation has left in `out`: its image, or NULL where it failed. A macro, because C lets a compiler read a function's
/// second argument before the operation, its first, has written it.
#define made(failed, out) ((failed) ? NULL : ours(out))

/// The image `out`, and with it the one that it is made of, which a generated image does not hold; NULL where generating it failed.
static inline cvips_image *generated(int failed, VipsImage *out, VipsImage *in) {
    if (failed) {
        g_object_unref(out);
        return NULL;
    }
    g_object_ref(in);
    vips_object_local(out, VIPS_OBJECT(in));
    return ours(out);
}

/// Whether the libvips that is in use has this version or a later one.
static inline bool is_since(int major, int minor, int micro) {
    int version = vips_version(0) * 1000000 + vips_version(1) * 1000 + vips_version(2);
    return version >= major * 1000000 + minor * 1000 + micro;
}

/// Rises with each image of this thread whose pixels are made before an encoder asks for them.
extern _Thread_local unsigned cvips_pixels_made_at_once;

// In Start.c. A symbol of any library that this process was started with, or that a module of libvips brought; NULL if none has it.
void *find_symbol(const char *name);

// Of Linear.c; once, before its images are made.
void make_light_tables(void);

// Of Palette.c: the frames of an animation with one palette for all of them, where that shows them well; else, or where it is a
// still, without one. What a caller releases; NULL where making the pixels failed.
VipsImage *with_shared_palette(VipsImage *in, int effort, bool *is_shared);

/// As `cvips_flatness`, of rows of pixels.
double flatness_of(const uint8_t *pixels, size_t stride, int width, int height, size_t bands, int colours);
