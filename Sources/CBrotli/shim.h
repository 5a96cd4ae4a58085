// SPDX-License-Identifier: Apache-2.0
// What Swift needs of Brotli's decoder: its enumerations and pointers to pointers, in plain types.
#pragma once
#include <brotli/decode.h>
#include <stddef.h>
#include <stdint.h>

/// Null without memory. Windows have 16 MiB at most (RFC 7932 §9.1), because large ones are not switched on.
static inline BrotliDecoderState *cbrotli_create(void) { return BrotliDecoderCreateInstance(NULL, NULL, NULL); }

static inline void cbrotli_destroy(BrotliDecoderState *decoder) { BrotliDecoderDestroyInstance(decoder); }

/// Decodes as far as input and room go; `used` and `made` are set. 1 at the stream's end, 0 before it, -1 if it is damaged.
static inline int cbrotli_step(
    BrotliDecoderState *decoder, const void *input, size_t length, size_t *used, void *output, size_t room, size_t *made) {
    size_t unread = length, free_bytes = room;
    const uint8_t *next_in = (const uint8_t *)input;
    uint8_t *next_out = (uint8_t *)output;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder, &unread, &next_in, &free_bytes, &next_out, NULL);
    *used = length - unread;
    *made = room - free_bytes;
    return result == BROTLI_DECODER_RESULT_ERROR ? -1 : result == BROTLI_DECODER_RESULT_SUCCESS ? 1 : 0;
}
