// SPDX-License-Identifier: Apache-2.0
// #embed of C23 turns the files into bytes; clang accepts it in earlier C as well. The compiler's dependency
// file lists them, so a build notices when one changes.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CWebPages.h"

static const unsigned char shared_common_js[] = {
#embed "pages/shared/common.js"
};
static const unsigned char shared_icon_svg[] = {
#embed "pages/shared/icon.svg"
};
static const unsigned char shared_style_css[] = {
#embed "pages/shared/style.css"
};
static const unsigned char dashboard_index_html[] = {
#embed "pages/dashboard/index.html"
};
static const unsigned char dashboard_actions_js[] = {
#embed "pages/dashboard/actions.js"
};
static const unsigned char dashboard_api_js[] = {
#embed "pages/dashboard/api.js"
};
static const unsigned char dashboard_chart_js[] = {
#embed "pages/dashboard/chart.js"
};
static const unsigned char dashboard_charts_js[] = {
#embed "pages/dashboard/charts.js"
};
static const unsigned char dashboard_dashboard_css[] = {
#embed "pages/dashboard/dashboard.css"
};
static const unsigned char dashboard_explain_js[] = {
#embed "pages/dashboard/explain.js"
};
static const unsigned char dashboard_feed_js[] = {
#embed "pages/dashboard/feed.js"
};
static const unsigned char dashboard_history_js[] = {
#embed "pages/dashboard/history.js"
};
static const unsigned char dashboard_keyed_js[] = {
#embed "pages/dashboard/keyed.js"
};
static const unsigned char dashboard_lists_js[] = {
#embed "pages/dashboard/lists.js"
};
static const unsigned char dashboard_load_js[] = {
#embed "pages/dashboard/load.js"
};
static const unsigned char dashboard_main_js[] = {
#embed "pages/dashboard/main.js"
};
static const unsigned char dashboard_purge_js[] = {
#embed "pages/dashboard/purge.js"
};
static const unsigned char dashboard_stats_js[] = {
#embed "pages/dashboard/stats.js"
};
static const unsigned char dashboard_warm_js[] = {
#embed "pages/dashboard/warm.js"
};
static const unsigned char dashboard_words_js[] = {
#embed "pages/dashboard/words.js"
};
static const unsigned char playground_index_html[] = {
#embed "pages/playground/index.html"
};
static const unsigned char playground_compare_js[] = {
#embed "pages/playground/compare.js"
};
static const unsigned char playground_control_js[] = {
#embed "pages/playground/control.js"
};
static const unsigned char playground_controls_js[] = {
#embed "pages/playground/controls.js"
};
static const unsigned char playground_cost_js[] = {
#embed "pages/playground/cost.js"
};
static const unsigned char playground_frames_js[] = {
#embed "pages/playground/frames.js"
};
static const unsigned char playground_difference_js[] = {
#embed "pages/playground/difference.js"
};
static const unsigned char playground_told_js[] = {
#embed "pages/playground/told.js"
};
static const unsigned char playground_zoom_js[] = {
#embed "pages/playground/zoom.js"
};
static const unsigned char playground_likeness_js[] = {
#embed "pages/playground/likeness.js"
};
static const unsigned char playground_labels_js[] = {
#embed "pages/playground/labels.js"
};
static const unsigned char playground_main_js[] = {
#embed "pages/playground/main.js"
};
static const unsigned char playground_playground_css[] = {
#embed "pages/playground/playground.css"
};
static const unsigned char playground_preview_js[] = {
#embed "pages/playground/preview.js"
};
static const unsigned char playground_segments_js[] = {
#embed "pages/playground/segments.js"
};
static const unsigned char playground_signature_js[] = {
#embed "pages/playground/signature.js"
};
static const unsigned char playground_signing_js[] = {
#embed "pages/playground/signing.js"
};
static const unsigned char playground_snippets_js[] = {
#embed "pages/playground/snippets.js"
};
static const unsigned char playground_state_js[] = {
#embed "pages/playground/state.js"
};
static const unsigned char playground_tools_js[] = {
#embed "pages/playground/tools.js"
};
static const unsigned char samples_gamut_jpg[] = {
#embed "samples/gamut.jpg"
};
static const unsigned char samples_glass_webp[] = {
#embed "samples/glass.webp"
};
static const unsigned char samples_portrait_jpg[] = {
#embed "samples/portrait.jpg"
};
static const unsigned char samples_valley_jpg[] = {
#embed "samples/valley.jpg"
};
static const unsigned char samples_wheel_gif[] = {
#embed "samples/wheel.gif"
};
static const unsigned char samples_words_png[] = {
#embed "samples/words.png"
};
static const unsigned char thumbs_valley_webp[] = {
#embed "thumbs/valley.webp"
};
static const unsigned char thumbs_portrait_webp[] = {
#embed "thumbs/portrait.webp"
};
static const unsigned char thumbs_words_webp[] = {
#embed "thumbs/words.webp"
};
static const unsigned char thumbs_glass_webp[] = {
#embed "thumbs/glass.webp"
};
static const unsigned char thumbs_wheel_webp[] = {
#embed "thumbs/wheel.webp"
};
static const unsigned char thumbs_gamut_webp[] = {
#embed "thumbs/gamut.webp"
};

#define FILE_OF(path, bytes) {path, bytes, sizeof bytes}

static const cwebpages_file files[] = {
    FILE_OF("shared/common.js", shared_common_js),
    FILE_OF("shared/icon.svg", shared_icon_svg),
    FILE_OF("shared/style.css", shared_style_css),
    FILE_OF("dashboard/index.html", dashboard_index_html),
    FILE_OF("dashboard/actions.js", dashboard_actions_js),
    FILE_OF("dashboard/api.js", dashboard_api_js),
    FILE_OF("dashboard/chart.js", dashboard_chart_js),
    FILE_OF("dashboard/charts.js", dashboard_charts_js),
    FILE_OF("dashboard/dashboard.css", dashboard_dashboard_css),
    FILE_OF("dashboard/explain.js", dashboard_explain_js),
    FILE_OF("dashboard/feed.js", dashboard_feed_js),
    FILE_OF("dashboard/history.js", dashboard_history_js),
    FILE_OF("dashboard/keyed.js", dashboard_keyed_js),
    FILE_OF("dashboard/lists.js", dashboard_lists_js),
    FILE_OF("dashboard/load.js", dashboard_load_js),
    FILE_OF("dashboard/main.js", dashboard_main_js),
    FILE_OF("dashboard/purge.js", dashboard_purge_js),
    FILE_OF("dashboard/stats.js", dashboard_stats_js),
    FILE_OF("dashboard/warm.js", dashboard_warm_js),
    FILE_OF("dashboard/words.js", dashboard_words_js),
    FILE_OF("playground/index.html", playground_index_html),
    FILE_OF("playground/compare.js", playground_compare_js),
    FILE_OF("playground/control.js", playground_control_js),
    FILE_OF("playground/controls.js", playground_controls_js),
    FILE_OF("playground/cost.js", playground_cost_js),
    FILE_OF("playground/frames.js", playground_frames_js),
    FILE_OF("playground/difference.js", playground_difference_js),
    FILE_OF("playground/told.js", playground_told_js),
    FILE_OF("playground/zoom.js", playground_zoom_js),
    FILE_OF("playground/likeness.js", playground_likeness_js),
    FILE_OF("playground/labels.js", playground_labels_js),
    FILE_OF("playground/main.js", playground_main_js),
    FILE_OF("playground/playground.css", playground_playground_css),
    FILE_OF("playground/preview.js", playground_preview_js),
    FILE_OF("playground/segments.js", playground_segments_js),
    FILE_OF("playground/signature.js", playground_signature_js),
    FILE_OF("playground/signing.js", playground_signing_js),
    FILE_OF("playground/snippets.js", playground_snippets_js),
    FILE_OF("playground/state.js", playground_state_js),
    FILE_OF("playground/tools.js", playground_tools_js),
    FILE_OF("samples/valley.jpg", samples_valley_jpg),
    FILE_OF("samples/portrait.jpg", samples_portrait_jpg),
    FILE_OF("samples/words.png", samples_words_png),
    FILE_OF("samples/glass.webp", samples_glass_webp),
    FILE_OF("samples/wheel.gif", samples_wheel_gif),
    FILE_OF("samples/gamut.jpg", samples_gamut_jpg),
    FILE_OF("thumbs/valley.webp", thumbs_valley_webp),
    FILE_OF("thumbs/portrait.webp", thumbs_portrait_webp),
    FILE_OF("thumbs/words.webp", thumbs_words_webp),
    FILE_OF("thumbs/glass.webp", thumbs_glass_webp),
    FILE_OF("thumbs/wheel.webp", thumbs_wheel_webp),
    FILE_OF("thumbs/gamut.webp", thumbs_gamut_webp),
};

const cwebpages_file *cwebpages_all(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
