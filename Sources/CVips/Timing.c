// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"

int cvips_timing(cvips_image *image, int *delays, int capacity, int *loop) {
    int *array = NULL, count = 0;
    *loop = 0;
    if (vips_image_get_typeof(vips(image), "loop")) vips_image_get_int(vips(image), "loop", loop);
    if (vips_image_get_typeof(vips(image), "delay") &&
        vips_image_get_array_int(vips(image), "delay", &array, &count)) {
        vips_error_clear();
        count = 0;
    }
    for (int i = 0; i < count && i < capacity; i++) delays[i] = array[i];
    return count < capacity ? count : capacity;
}

cvips_image *cvips_set_timing(cvips_image *image, const int *delays, int count, int loop) {
    VipsImage *out = NULL;
    if (vips_copy(vips(image), &out, NULL)) return NULL;
    vips_image_remove(out, "gif-delay");
    vips_image_remove(out, "gif-loop");
    vips_image_set_array_int(out, "delay", delays, count);
    vips_image_set_int(out, "loop", loop);
    return ours(out);
}
