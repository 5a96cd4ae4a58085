// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Settings

/// Formats that `Accept` may choose, by the settings of a dialect.
enum AutoFormats {
    private static let names: [String: AcceptClass] = [
        "avif": [.avif, .webpFirst], "webp": .webp, "jxl": [.jxl, .jxlLast],
    ]

    /// - Parameter key: the setting's name, for the error.
    static func read(_ texts: [String], _ key: String) throws(UnusableSetting) -> AcceptClass {
        var formats: AcceptClass = []
        for text in texts {
            guard let format = names[text] else {
                throw UnusableSetting(description: "\(key): \"\(text)\" is none of avif, webp and jxl")
            }
            formats.formUnion(format)
        }
        return formats
    }
}
