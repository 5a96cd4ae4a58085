// SPDX-License-Identifier: Apache-2.0

/// Reasons why a text is no source URL. The messages are for clients, and repeat nothing of the input.
package enum SourceURLError: Error, Sendable, Hashable, CaseIterable {
    case empty
    case tooLong
    /// A control character anywhere, or white space outside path and query.
    case forbiddenCharacter
    case backslash
    /// Neither http nor https.
    case unsupportedScheme
    /// `http:` without `//`.
    case missingSlashes
    case userInformation
    case missingHost
    case invalidHost
    /// The name is international, and its one right spelling could not be told for certain.
    case ambiguousHost
    case invalidAddress
    case invalidPort

    /// The sentence for the client: names the rule and repeats nothing of the input.
    package var message: String {
        switch self {
        case .empty: "The URL is empty."
        case .tooLong: "The URL is longer than \(SourceURL.longest) bytes."
        case .forbiddenCharacter: "The URL contains a character that no URL may contain."
        case .backslash: "The URL contains a backslash."
        case .unsupportedScheme: "Only http and https URLs are fetched."
        case .missingSlashes: "The URL has no // after its scheme."
        case .userInformation: "The URL contains a user name or an @ before its host."
        case .missingHost: "The URL has no host."
        case .invalidHost: "The URL's host is not a valid name."
        case .ambiguousHost: "The URL's international host name is ambiguous; write it in its xn-- form."
        case .invalidAddress: "The URL's host is not a valid IP address."
        case .invalidPort: "The URL's port is not a number from 1 to 65535."
        }
    }
}
