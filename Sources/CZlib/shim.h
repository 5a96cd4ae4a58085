// SPDX-License-Identifier: Apache-2.0
// What Swift needs of zlib: inflateInit2 and deflateInit2 are macros, which Swift does not see.
#pragma once
#include <zlib.h>

/// `window_bits` as in zlib.h: 31 for gzip, 15 for zlib, -15 for neither.
static inline int czlib_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

/// `window_bits` as above; `level` 1 to 9.
static inline int czlib_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
