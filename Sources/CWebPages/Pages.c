// SPDX-License-Identifier: Apache-2.0
//
// Files become bytes by #embed of C23, which clang also reads in earlier C. The compiler's dependency file names
// them, so a build notices when one changes.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CWebPages.h"

static const unsigned char style[] = {
#embed "pages/shared/style.css"
};
static const unsigned char common[] = {
#embed "pages/shared/common.js"
};
static const unsigned char playground_page[] = {
#embed "pages/playground/index.html"
};
static const unsigned char playground_style[] = {
#embed "pages/playground/playground.css"
};
static const unsigned char playground_script[] = {
#embed "pages/playground/main.js"
};
static const unsigned char sample_valley[] = {
#embed "samples/valley.jpg"
};
static const unsigned char sample_portrait[] = {
#embed "samples/portrait.jpg"
};
static const unsigned char sample_words[] = {
#embed "samples/words.png"
};
static const unsigned char sample_glass[] = {
#embed "samples/glass.webp"
};
static const unsigned char sample_wheel[] = {
#embed "samples/wheel.gif"
};
static const unsigned char sample_gamut[] = {
#embed "samples/gamut.jpg"
};

#define FILE_OF(path, bytes) {path, bytes, sizeof bytes}

static const cwebpages_file files[] = {
    FILE_OF("shared/style.css", style),
    FILE_OF("shared/common.js", common),
    FILE_OF("playground/index.html", playground_page),
    FILE_OF("playground/playground.css", playground_style),
    FILE_OF("playground/main.js", playground_script),
    FILE_OF("samples/valley.jpg", sample_valley),
    FILE_OF("samples/portrait.jpg", sample_portrait),
    FILE_OF("samples/words.png", sample_words),
    FILE_OF("samples/glass.webp", sample_glass),
    FILE_OF("samples/wheel.gif", sample_wheel),
    FILE_OF("samples/gamut.jpg", sample_gamut),
};

const cwebpages_file *cwebpages_all(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
