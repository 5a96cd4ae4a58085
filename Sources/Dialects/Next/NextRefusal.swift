// SPDX-License-Identifier: Apache-2.0

/// Why a query is refused, in Next.js' own words.
package enum NextRefusal: Error, Sendable, Hashable {
    case missing(parameter: String)
    case repeated(parameter: String)
    case notAWidth
    case notAQuality
    case notAllowed(parameter: String, value: Int)
    case sourceTooLong
    case protocolRelative
    case recursive
    case sourceNotAllowed
    case invalidSource

    /// The sentence of Next.js.
    package var message: String {
        switch self {
        case .missing(let name): "\(Self.label(name)) is required"
        case .repeated(let name): "\(Self.label(name)) cannot be an array"
        case .notAWidth: "\(Self.label("w")) must be an integer greater than 0"
        case .notAQuality: "\(Self.label("q")) must be an integer between 1 and 100"
        case .notAllowed(let name, let value): "\(Self.label(name)) of \(value) is not allowed"
        case .sourceTooLong: "\"url\" parameter is too long"
        case .protocolRelative: "\"url\" parameter cannot be a protocol-relative URL (//)"
        case .recursive: "\"url\" parameter cannot be recursive"
        case .sourceNotAllowed: "\"url\" parameter is not allowed"
        case .invalidSource: "\"url\" parameter is invalid"
        }
    }

    /// Next.js' sentence for a source that gives no picture, by Pictor's error code; nil if it has none.
    static func words(of code: String) -> String? {
        switch code {
        case "source_refused": "\"url\" parameter is not allowed"
        case "origin_timeout": "\"url\" parameter is valid but upstream response timed out"
        case "origin_status", "origin_broken_reply", "origin_tls", "origin_unreachable", "origin_resting",
            "too_many_redirects", "original_too_large":
            "\"url\" parameter is valid but upstream response is invalid"
        case "not_an_image", "damaged_image", "coding_not_read":
            "The requested resource isn't a valid image."
        case "format_not_allowed": "\"url\" parameter is valid but image type is not allowed"
        default: nil
        }
    }

    private static func label(_ name: String) -> String {
        let meanings = ["w": " (width)", "q": " (quality)"]
        return "\"\(name)\" parameter\(meanings[name] ?? "")"
    }
}
