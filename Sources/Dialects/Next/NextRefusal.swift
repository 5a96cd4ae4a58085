// SPDX-License-Identifier: Apache-2.0

/// Why a query is none, in Next.js' own words.
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

    /// The sentence that Next.js answers with.
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

    private static func label(_ name: String) -> String {
        let meanings = ["w": " (width)", "q": " (quality)"]
        return "\"\(name)\" parameter\(meanings[name] ?? "")"
    }
}
