// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"

cvips_image *cvips_resize(cvips_image *image, double horizontal, double vertical) {
    VipsImage *out = NULL;
    return made(vips_resize(
        vips(image), &out, horizontal, "vscale", vertical, "kernel", VIPS_KERNEL_LANCZOS3, NULL), out);
}

cvips_image *cvips_crop(cvips_image *image, int left, int top, int width, int height) {
    VipsImage *out = NULL;
    return made(vips_extract_area(vips(image), &out, left, top, width, height, NULL), out);
}

cvips_image *cvips_embed(
    cvips_image *image, int left, int top, int width, int height, cvips_surround surround) {
    static const VipsExtend extends[] = {VIPS_EXTEND_COPY, VIPS_EXTEND_WHITE, VIPS_EXTEND_BLACK};
    VipsImage *out = NULL;
    // Black in every band is transparent where one of them is alpha.
    return made(vips_embed(
        vips(image), &out, left, top, width, height, "extend", extends[surround], NULL), out);
}

int cvips_interest(cvips_image *image, int width, int height, bool attention, int *left, int *top) {
    VipsImage *out = NULL;
    VipsInteresting choice = attention ? VIPS_INTERESTING_ATTENTION : VIPS_INTERESTING_ENTROPY;
    if (vips_smartcrop(vips(image), &out, width, height, "interesting", choice, NULL)) return -1;
    // A cropped image remembers where its origin came from.
    *left = -out->Xoffset;
    *top = -out->Yoffset;
    g_object_unref(out);
    return 0;
}

cvips_image *cvips_turn(cvips_image *image, int quarters) {
    static const VipsAngle angles[] = {VIPS_ANGLE_D0, VIPS_ANGLE_D90, VIPS_ANGLE_D180, VIPS_ANGLE_D270};
    VipsImage *out = NULL;
    return made(vips_rot(vips(image), &out, angles[quarters & 3], NULL), out);
}

cvips_image *cvips_mirror(cvips_image *image, bool vertical) {
    VipsImage *out = NULL;
    return made(vips_flip(
        vips(image), &out, vertical ? VIPS_DIRECTION_VERTICAL : VIPS_DIRECTION_HORIZONTAL, NULL), out);
}

cvips_image *cvips_join(cvips_image *const *images, int count) {
    VipsImage *out = NULL;
    return made(vips_arrayjoin((VipsImage **)images, &out, count, "across", 1, NULL), out);
}

cvips_image *cvips_set_page_height(cvips_image *image, int height) {
    VipsImage *out = NULL;
    if (vips_copy(vips(image), &out, NULL)) return NULL;
    vips_image_remove(out, VIPS_META_N_PAGES);
    vips_image_remove(out, VIPS_META_PAGE_HEIGHT);
    if (height > 0) vips_image_set_int(out, VIPS_META_PAGE_HEIGHT, height);
    return ours(out);
}

cvips_image *cvips_to_memory(cvips_image *image) { return ours(vips_image_copy_memory(vips(image))); }
