// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// Reasons why a target is no valid request for a picture. Every case names the parameter at fault.
package enum RequestError: Error, Sendable, Hashable {
    /// `mayBeOfSource` is true if a source with a query precedes it, which an unescaped `&` may have cut.
    case unknownOption(parameter: String, mayBeOfSource: Bool = false)
    case missing(parameter: String)
    /// The option is given twice, perhaps once by a synonym. `mayBeOfSource` as above.
    case duplicate(parameter: String, mayBeOfSource: Bool = false)
    /// `allowed` is the text of the option table.
    case invalidValue(parameter: String, allowed: String)
    /// A `%` that begins no escape, in a parameter.
    case invalidEscape(parameter: String)
    /// A `%` that begins no escape, in the path.
    case invalidPath
    /// A control character, or bytes that are not UTF-8.
    case invalidText(parameter: String)
    case invalidSource(parameter: String, SourceURLError)
    /// The value `auto`, although the settings disable hints.
    case needsHints(parameter: String)

    /// The parameter's name as the client spelled it, cut to 40 characters.
    package var parameter: String {
        switch self {
        case .unknownOption(let name, _), .missing(let name), .duplicate(let name, _),
            .invalidValue(let name, _),
            .invalidEscape(let name), .invalidText(let name), .invalidSource(let name, _),
            .needsHints(let name):
            String(name.prefix(40))
        case .invalidPath: "path"
        }
    }
}
