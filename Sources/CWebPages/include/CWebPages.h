// SPDX-License-Identifier: Apache-2.0
// The files of the web pages and the sample pictures, as bytes in the executable.
#pragma once
#include <stddef.h>

/// One embedded file. The bytes live as long as the process.
typedef struct {
    /// A path like "playground/index.html" below pages/, "samples/valley.jpg" or "thumbs/valley.webp".
    const char *path;
    const unsigned char *bytes;
    size_t count;
} cwebpages_file;

/// Returns all files and sets `*count` to their number.
const cwebpages_file *cwebpages_all(size_t *count);
