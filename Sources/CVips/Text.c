// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"

cvips_image *cvips_text(const char *text, const char *font, uint32_t colour, int width, cvips_side side) {
    // Escaped, because libvips takes the text for markup.
    gchar *plain = g_markup_escape_text(text, -1);
    gchar *marked = g_strdup_printf("<span foreground=\"#%06x\" insert_hyphens=\"false\">%s</span>", colour & 0xFFFFFF, plain);
    VipsAlign align = side == CVIPS_LEFT ? VIPS_ALIGN_LOW : side == CVIPS_RIGHT ? VIPS_ALIGN_HIGH : VIPS_ALIGN_CENTRE;
    VipsImage *out = NULL;
    int failed = vips_text(
        &out, marked, "font", font, "width", width, "wrap", VIPS_TEXT_WRAP_WORD_CHAR, "align", align, "dpi", 72,
        "rgba", TRUE, NULL);
    g_free(marked);
    g_free(plain);
    return made(failed, out);
}
