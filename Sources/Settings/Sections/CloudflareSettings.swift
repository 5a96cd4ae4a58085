// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let cloudflare: [Setting] = [
        Setting(
            "cloudflare.enabled", \.cloudflare.enabled,
            "Answer the URLs of Cloudflare's image resizing, /cdn-cgi/image/<options>/<source>."),
        Setting(
            "cloudflare.base-url", \.cloudflare.baseURL,
            "The site that sources without a host are fetched from, as https://www.example.com, and that onerror=redirect may lead to; empty = such URLs are a 400."
        ),
    ]
}
