// SPDX-License-Identifier: Apache-2.0

/// Reasons why a text is no source URL. The messages are for clients, and repeat nothing of the input.
package enum SourceURLError: Error, Sendable, Hashable, CaseIterable {
    case empty
    case tooLong
    /// A control character anywhere, or white space outside path and query.
    case forbiddenCharacter
    case backslash
    /// None of http, https, file, s3 and azure.
    case unsupportedScheme
    /// `http:` without `//`.
    case missingSlashes
    case userInformation
    case missingHost
    case invalidHost
    /// `https%3A%2F%2Fhost/…`: the text would have to be decoded once more.
    case escapedTwice
    /// The name is international, and its one correct spelling is not certain.
    case ambiguousHost
    case invalidAddress
    case invalidPort
    /// The text after `file://`, `s3://` or `azure://` cannot be the name of a folder, a bucket or a container.
    case invalidPlace
    /// A path after `file://`, `s3://` or `azure://` that is invalid, leads out of its place, or is ambiguous.
    case invalidPath
    /// A query after `file://`, `s3://` or `azure://`.
    case unwantedQuery

    /// The sentence for the client: names the rule and repeats nothing of the input.
    package var message: String {
        switch self {
        case .empty: "The URL is empty."
        case .tooLong: "The URL is longer than \(SourceURL.longest) bytes."
        case .forbiddenCharacter:
            "The URL contains a control character, or a blank at its beginning, at its end or in its host."
        case .backslash: "The URL contains a backslash."
        case .unsupportedScheme: "Only http, https, file, s3 and azure URLs are fetched."
        case .missingSlashes: "The URL has no // after its scheme."
        case .userInformation: "The URL contains a user name or an @ before its host."
        case .missingHost: "The URL has no host."
        case .invalidHost: "The URL's host is not a valid name."
        case .escapedTwice:
            "The URL is percent-encoded once too often: it still begins with http%3A or https%3A."
        case .ambiguousHost: "The URL's international host name is ambiguous; write it in its xn-- form."
        case .invalidAddress: "The URL's host is not a valid IP address."
        case .invalidPort: "The URL's port is not a number from 1 to 65535."
        case .invalidPlace:
            "What follows file://, s3:// or azure:// is no name of 1 to 63 lower-case letters, digits, dots, hyphens and underscores."
        case .invalidPath:
            "The path of a file, s3 or azure URL is empty, or has a segment . or .., an escaped NUL, or, of a file, an empty segment or an escaped slash, or, of a blob, a backslash."
        case .unwantedQuery: "A file, s3 or azure URL has no query; write a question mark as %3F."
        }
    }
}
