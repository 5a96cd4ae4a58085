// SPDX-License-Identifier: Apache-2.0
// Pixels are computed while the encoder asks for them, so a failure to decode surfaces in the call that saves. The
// watched image passes everything through. It records whether computing the pixels before it failed, and how long
// it took.
#include <time.h>

#include "Internal.h"

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int pass(VipsRegion *out, void *sequence, void *image, void *data, gboolean *stop) {
    VipsRegion *in = sequence;
    cvips_watch *watch = data;
    int64_t start = now();
    int failed = vips_region_prepare(in, &out->valid);
    watch->nanoseconds += now() - start;
    if (failed) {
        watch->failed = true;
        return -1;
    }
    return vips_region_region(out, in, &out->valid, out->valid.left, out->valid.top);
}

cvips_image *cvips_watched(cvips_image *image, cvips_watch *watch) {
    VipsImage *in = vips(image), *out = vips_image_new();
    int failed = vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL) ||
        vips_image_generate(out, vips_start_one, pass, vips_stop_one, in, watch);
    return generated(failed, out, in);
}
