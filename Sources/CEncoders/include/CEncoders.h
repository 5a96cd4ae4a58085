// SPDX-License-Identifier: Apache-2.0
//
// libjpeg, libwebp and libheif, for rows and planes that are at hand. No type of theirs leaves this header, and none of
// libjpeg's jumps leaves its functions.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Takes what an encoder has made. Returns 0 when it succeeded; else nothing more is written.
typedef int (*cencoders_write)(void *context, const void *bytes, size_t length);

// MARK: JPEG

typedef struct cjpeg_writer cjpeg_writer;

typedef enum {
    /// One byte a pixel.
    CJPEG_GREY,
    /// Three bytes a pixel: red, green, blue.
    CJPEG_RGB,
    /// Rows of Y, Cb and Cr, full range (JFIF), each as long as its plane.
    CJPEG_PLANES,
} cjpeg_input;

typedef struct {
    /// Pixels.
    int width, height;
    cjpeg_input input;
    /// 1…100.
    int quality;
    /// Chroma has half of luma's density on both axes: its planes are (width + 1) / 2 by (height + 1) / 2.
    bool half_chroma;
    /// Make the Huffman tables for this picture. The file is written when it is finished, else as rows come.
    bool optimised;
    bool progressive;
} cjpeg_options;

/// True if the loaded libjpeg has a place for the trellis, which saves bytes below quality 90; with others numbers are rounded.
bool cjpeg_has_trellis(void);

/// Begins a file; NULL: no memory, or libjpeg takes no such picture.
cjpeg_writer *cjpeg_open(const cjpeg_options *options, cencoders_write write, void *context);

/// The next row of pixels, from the top. Returns 0 when it succeeded; so do the functions below.
int cjpeg_row(cjpeg_writer *writer, const uint8_t *row);

/// The next row of a plane: 0 for Y, 1 for Cb, 2 for Cr. Before a row of one plane, the other planes' rows that stand 16 pixels
/// above it must have come.
int cjpeg_plane_row(cjpeg_writer *writer, int plane, const uint8_t *row);

/// Ends the file.
int cjpeg_finish(cjpeg_writer *writer);

/// Why something failed; empty: `write` did, or nothing.
const char *cjpeg_error(const cjpeg_writer *writer);

/// Time that the encoder took so far.
int64_t cjpeg_nanoseconds(const cjpeg_writer *writer);

/// Whatever happened.
void cjpeg_close(cjpeg_writer *writer);

// MARK: WebP

typedef struct {
    /// Pixels.
    int width, height;
    /// Y, Cb and Cr of limited range (BT.601: 16…235 and 16…240). Chroma is (width + 1) / 2 by (height + 1) / 2.
    const uint8_t *planes[3];
    /// Bytes from row to row.
    int strides[3];
    /// 0…100.
    int quality;
    /// 0…6.
    int effort;
} cwebp_picture;

/// Makes a file, lossy and without metadata. Returns 0 when it succeeded, else libwebp's number of the error.
int cwebp_write(const cwebp_picture *picture, cencoders_write write, void *context);

// MARK: AVIF

/// Loads libheif's coders for AV1 and HEVC, once, before the process gives up opening files. False: none encodes AV1.
bool cavif_start(void);

/// What a file says beside its pixels.
typedef struct {
    /// An ICC profile; NULL: none.
    const uint8_t *profile;
    size_t profile_length;
    /// A TIFF stream of EXIF; NULL: none.
    const uint8_t *exif;
    size_t exif_length;
} cencoders_notes;

typedef struct cavif_writer cavif_writer;

typedef enum {
    /// Three bytes a pixel: red, green, blue.
    CAVIF_RGB,
    /// With alpha, that is not multiplied into them.
    CAVIF_RGBA,
    /// Y, Cb and Cr of full range (BT.601).
    CAVIF_PLANES,
} cavif_input;

typedef struct {
    /// Pixels.
    int width, height;
    cavif_input input;
    /// 0…100.
    int quality;
    /// 0…9.
    int effort;
    /// Chroma has half of luma's density on both axes: its planes are (width + 1) / 2 by (height + 1) / 2.
    bool half_chroma;
    /// Pixels come back as they were, whatever the quality. Not of planes, nor of half the chroma.
    bool lossless;
    /// Copied.
    cencoders_notes notes;
} cavif_options;

/// Begins a file; NULL: no memory, or libheif takes no such picture.
cavif_writer *cavif_open(const cavif_options *options, cencoders_write write, void *context);

/// Where the pixels, or a plane's samples, have to be put, and the bytes from row to row.
uint8_t *cavif_plane(cavif_writer *writer, int plane, int *stride);

/// Makes and writes the file. Returns 0 when it succeeded.
/// - Parameter is_drawing: the picture has flat areas and few colours, for which AV1 has ways of its own.
int cavif_finish(cavif_writer *writer, bool is_drawing);

/// Why something failed; empty: `write` did, or nothing.
const char *cavif_error(const cavif_writer *writer);

/// Time that the encoder took.
int64_t cavif_nanoseconds(const cavif_writer *writer);

/// Whatever happened.
void cavif_close(cavif_writer *writer);

// MARK: Versions

/// Adds the versions of libheif, of the coders that it uses, of libwebp and of libjpeg, as they tell them, to the list that
/// `buffer` ends with a zero. What has no room is cut off; so it is by the functions below. To be called after the start.
void cencoders_add_versions(char *buffer, size_t size);

/// Adds one: the last word of the first line of `words`, without a `v` before it. NULL: nothing.
void cencoders_add_version(char *buffer, size_t size, const char *name, const char *words);

/// Adds one that is a number.
void cencoders_add_number(char *buffer, size_t size, const char *name, unsigned number);
