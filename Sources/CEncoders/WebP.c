// SPDX-License-Identifier: Apache-2.0
#include <webp/encode.h>

#include "CEncoders.h"

typedef struct {
    cencoders_write write;
    void *context;
    bool failed;
} taker;

static int on_bytes(const uint8_t *bytes, size_t length, const WebPPicture *picture) {
    taker *taker = picture->custom_ptr;
    taker->failed = taker->failed || taker->write(taker->context, bytes, length);
    return !taker->failed;
}

int cwebp_write(const cwebp_picture *given, cencoders_write write, void *context) {
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, given->quality) || !WebPPictureInit(&picture)) {
        return VP8_ENC_ERROR_INVALID_CONFIGURATION;
    }
    config.method = given->effort;
    taker taker = {write, context, false};
    picture.width = given->width;
    picture.height = given->height;
    picture.y = (uint8_t *)given->planes[0];
    picture.u = (uint8_t *)given->planes[1];
    picture.v = (uint8_t *)given->planes[2];
    picture.y_stride = given->strides[0];
    picture.uv_stride = given->strides[1];
    picture.writer = on_bytes;
    picture.custom_ptr = &taker;
    int failed = WebPEncode(&config, &picture) ? 0 : picture.error_code;
    // libwebp does not check whether the padding byte that makes the length even was written.
    if (taker.failed) failed = VP8_ENC_ERROR_BAD_WRITE;
    // Frees what libwebp has allocated; the planes belong to the caller.
    WebPPictureFree(&picture);
    return failed;
}

bool cwebp_lacks_memory(int error) {
    return error == VP8_ENC_ERROR_OUT_OF_MEMORY || error == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
}
