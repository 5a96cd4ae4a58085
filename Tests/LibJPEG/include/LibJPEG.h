// SPDX-License-Identifier: Apache-2.0
//
// What libjpeg makes by itself, for tests: planes beside those that Planar decodes, and codes beside those of CEncoders.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
    /// Samples of a row, and rows: those of the blocks that the picture reaches.
    int32_t width;
    int32_t height;
    /// Bytes from row to row.
    ptrdiff_t stride;
    /// Samples of a block's row: 8, 4, 2 or 1.
    int32_t side;
    /// NULL of a plane that is not there.
    uint8_t *samples;
} libjpeg_plane;

/// Decodes a JPEG's planes at a part of their size: 1, 2, 4 or 8. libjpeg decodes chroma at twice that part where chroma has half of
/// luma's samples on both axes.
/// - Parameter planes: room for three, to be freed by `libjpeg_free` whatever comes of this.
/// - Returns: how many there are, 1 or 3; 0 where libjpeg gives up or the picture has other colours.
int libjpeg_read(const uint8_t *file, size_t length, int shrink, libjpeg_plane *planes);
void libjpeg_free(libjpeg_plane *planes);

/// The largest difference between two rows.
int libjpeg_difference(const uint8_t *one, const uint8_t *other, size_t count);

/// A JPEG with the same coefficients, and with the Huffman codes that libjpeg makes for them.
/// - Returns: to be freed by the caller; NULL where libjpeg gives up.
uint8_t *libjpeg_optimised(const uint8_t *file, size_t length, size_t *new_length);
