// SPDX-License-Identifier: Apache-2.0
// Encoders for rows and planes in memory: libjpeg, libwebp and libheif. None of their types leaves this header, and
// none of libjpeg's longjmp() calls leaves its functions.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Receives the bytes that an encoder makes. Returns 0 on success; otherwise the encoder stops writing.
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
    /// In pixels.
    int width, height;
    cjpeg_input input;
    /// 1…100.
    int quality;
    /// Chroma has half of luma's density on both axes: its planes have (width + 1) / 2 by (height + 1) / 2
    /// samples.
    bool half_chroma;
    /// Optimise the Huffman tables for this picture. Then the file is written at the end, else while rows
    /// come.
    bool optimised;
    bool progressive;
} cjpeg_options;

/// True if the loaded libjpeg allows the trellis, which saves bytes below quality 90. Other libraries round.
bool cjpeg_has_trellis(void);

/// Begins a file. NULL if memory is missing or libjpeg refuses such a picture.
cjpeg_writer *cjpeg_open(const cjpeg_options *options, cencoders_write write, void *context);

/// Takes the next row of pixels, from the top. Returns 0 on success, like the functions below.
int cjpeg_row(cjpeg_writer *writer, const uint8_t *row);

/// Takes the next row of a plane: 0 for Y, 1 for Cb, 2 for Cr. Before it, the other planes' rows that belong 16 pixels above
/// must have come.
int cjpeg_plane_row(cjpeg_writer *writer, int plane, const uint8_t *row);

/// Completes the file.
int cjpeg_finish(cjpeg_writer *writer);

/// The error message; empty if `write` failed, or nothing did.
const char *cjpeg_error(const cjpeg_writer *writer);

/// Nanoseconds that the encoder has taken so far.
int64_t cjpeg_nanoseconds(const cjpeg_writer *writer);

/// Frees the writer, at any time.
void cjpeg_close(cjpeg_writer *writer);

// MARK: WebP

typedef struct {
    /// In pixels.
    int width, height;
    /// Y, Cb and Cr of limited range (BT.601: 16…235 and 16…240). Chroma is (width + 1) / 2 by (height + 1) / 2.
    const uint8_t *planes[3];
    /// Bytes from one row to the next.
    int strides[3];
    /// 0…100.
    int quality;
    /// 0…6.
    int effort;
} cwebp_picture;

/// Writes a lossy file without metadata. Returns 0 on success, else libwebp's error number.
int cwebp_write(const cwebp_picture *picture, cencoders_write write, void *context);

/// True for the error numbers of `cwebp_write` that tell of a lack of memory.
bool cwebp_lacks_memory(int error);

// MARK: AVIF

/// Loads libheif's coders for AV1 and HEVC, once, before the process gives up opening files. False if no coder
/// encodes AV1.
bool cavif_start(void);

/// The metadata of a file.
typedef struct {
    /// An ICC profile; NULL if there is none.
    const uint8_t *profile;
    size_t profile_length;
    /// EXIF as a TIFF stream; NULL if there is none.
    const uint8_t *exif;
    size_t exif_length;
} cencoders_notes;

typedef struct cavif_writer cavif_writer;

typedef enum {
    /// Three bytes a pixel: red, green, blue.
    CAVIF_RGB,
    /// Four bytes a pixel: red, green, blue, which are not multiplied by alpha, and alpha.
    CAVIF_RGBA,
    /// Y, Cb and Cr of full range (BT.601).
    CAVIF_PLANES,
} cavif_input;

typedef struct {
    /// In pixels.
    int width, height;
    cavif_input input;
    /// 0…100.
    int quality;
    /// 0…9.
    int effort;
    /// Chroma has half of luma's density on both axes: its planes have (width + 1) / 2 by (height + 1) / 2
    /// samples.
    bool half_chroma;
    /// Store the pixels exactly, whatever the quality. Not for planes, nor with half the chroma.
    bool lossless;
    /// The notes are copied.
    cencoders_notes notes;
} cavif_options;

/// Begins a file. NULL if memory is missing or libheif refuses such a picture.
cavif_writer *cavif_open(const cavif_options *options, cencoders_write write, void *context);

/// The memory for the pixels, or for a plane's samples, and the bytes from one row to the next.
uint8_t *cavif_plane(cavif_writer *writer, int plane, int *stride);

/// Encodes and writes the file. Returns 0 on success.
/// - Parameter is_drawing: true if the picture has flat areas and few colours, for which AV1 has tools of its
///   own.
int cavif_finish(cavif_writer *writer, bool is_drawing);

/// The error message; empty if `write` failed, or nothing did.
const char *cavif_error(const cavif_writer *writer);

/// Nanoseconds that the encoder took.
int64_t cavif_nanoseconds(const cavif_writer *writer);

/// Frees the writer, at any time.
void cavif_close(cavif_writer *writer);

// MARK: Versions

/// Appends the versions of libheif, the coders that it uses, libwebp and libjpeg, as they report them, to the
/// zero-terminated list in `buffer`. What has no room is cut off, also in the functions below. To be called after the
/// start.
void cencoders_add_versions(char *buffer, size_t size);

/// Appends one version: the last word of the first line of `words`, without a leading `v`. Nothing if `words`
/// is NULL.
void cencoders_add_version(char *buffer, size_t size, const char *name, const char *words);

/// Appends one version that is a number.
void cencoders_add_number(char *buffer, size_t size, const char *name, unsigned number);
