// SPDX-License-Identifier: Apache-2.0
// What Swift needs of Zstandard's decoder, in plain types.
#pragma once
#include <stddef.h>
#include <zstd.h>

/// Null without memory. Windows have 8 MiB at most, as content codings do (RFC 9659 §3).
static inline ZSTD_DCtx *czstd_create(void) {
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    if (decoder && ZSTD_isError(ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, 23))) {
        ZSTD_freeDCtx(decoder);
        return NULL;
    }
    return decoder;
}

static inline void czstd_destroy(ZSTD_DCtx *decoder) { ZSTD_freeDCtx(decoder); }

/// Decodes as far as input and room go; `used` and `made` are set. 1 at a frame's end, 0 before it, -1 if it is damaged.
static inline int czstd_step(
    ZSTD_DCtx *decoder, const void *input, size_t length, size_t *used, void *output, size_t room, size_t *made) {
    ZSTD_inBuffer in = {input, length, 0};
    ZSTD_outBuffer out = {output, room, 0};
    size_t rest = ZSTD_decompressStream(decoder, &out, &in);
    *used = in.pos;
    *made = out.pos;
    return ZSTD_isError(rest) ? -1 : rest == 0 ? 1 : 0;
}
