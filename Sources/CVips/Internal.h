// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vips/vips.h>

#include "CVips.h"

static inline VipsImage *vips(cvips_image *image) { return (VipsImage *)image; }
static inline cvips_image *ours(VipsImage *image) { return (cvips_image *)image; }

/// The result of an operation: its image `out`, or NULL on failure. It is a macro because C may evaluate a function's second
/// argument before the first one, the operation, has written it.
#define made(failed, out) ((failed) ? NULL : ours(out))

/// Ties `in`, which a generated image does not hold, to the lifetime of `out`. Returns `out`, or NULL on failure.
static inline cvips_image *generated(int failed, VipsImage *out, VipsImage *in) {
    if (failed) {
        g_object_unref(out);
        return NULL;
    }
    g_object_ref(in);
    vips_object_local(out, VIPS_OBJECT(in));
    return ours(out);
}

/// Whether the libvips in use has this version or a later one.
static inline bool is_since(int major, int minor, int micro) {
    int version = vips_version(0) * 1000000 + vips_version(1) * 1000 + vips_version(2);
    return version >= major * 1000000 + minor * 1000 + micro;
}

/// Incremented for each image of this thread whose pixels are computed before an encoder asks for them.
extern _Thread_local unsigned cvips_pixels_made_at_once;

// In Start.c. Finds a symbol in the libraries of the process and in the modules loaded for libvips; NULL if none has it.
void *find_symbol(const char *name);

// In Linear.c. To be called once, before its images are made.
void make_light_tables(void);

// In Palette.c. The frames of an animation with one shared palette, if that shows them well; otherwise, and for a still
// picture, without one. The caller releases the result; NULL if computing the pixels failed.
VipsImage *with_shared_palette(VipsImage *in, int effort, bool *is_shared);

/// Like `cvips_flatness`, for rows of pixels in memory.
double flatness_of(const uint8_t *pixels, size_t stride, int width, int height, size_t bands, int colours);
