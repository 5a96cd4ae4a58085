// SPDX-License-Identifier: Apache-2.0

/// The media type of a page's file, by the extension of its name.
enum MediaType {
    static func of(_ name: String) -> (text: String, isText: Bool) {
        switch name.split(separator: ".").last {
        case "html": ("text/html; charset=utf-8", true)
        case "css": ("text/css; charset=utf-8", true)
        case "js": ("text/javascript; charset=utf-8", true)
        case "json": ("application/json", true)
        case "svg": ("image/svg+xml", true)
        case "png": ("image/png", false)
        case "jpg": ("image/jpeg", false)
        case "webp": ("image/webp", false)
        case "gif": ("image/gif", false)
        default: ("application/octet-stream", false)
        }
    }
}
