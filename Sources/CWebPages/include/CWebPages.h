// SPDX-License-Identifier: Apache-2.0
// The files of the web pages and the sample pictures, as bytes of the executable.
#pragma once
#include <stddef.h>

/// One embedded file. The bytes live as long as the process.
typedef struct {
    /// As "playground/index.html" of pages/, "samples/valley.jpg" and "thumbs/valley.webp".
    const char *path;
    const unsigned char *bytes;
    size_t count;
} cwebpages_file;

/// Every file; `*count` says how many there are.
const cwebpages_file *cwebpages_all(size_t *count);
