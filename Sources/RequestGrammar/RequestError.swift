// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// Why a target is not a request for a picture. Every case names the parameter at fault.
package enum RequestError: Error, Sendable, Hashable {
    case unknownOption(parameter: String)
    case missing(parameter: String)
    /// Given twice, perhaps once by a synonym.
    case duplicate(parameter: String)
    /// `allowed` is what the option table says.
    case invalidValue(parameter: String, allowed: String)
    /// A `%` that begins no escape.
    case invalidEscape(parameter: String)
    /// A control character, or bytes that are no UTF-8.
    case invalidText(parameter: String)
    case invalidSource(parameter: String, SourceURLError)
    /// `auto`, where the settings have hints not read.
    case needsHints(parameter: String)

    /// As the client spelt it, cut to 40 characters.
    package var parameter: String {
        switch self {
        case .unknownOption(let name), .missing(let name), .duplicate(let name), .invalidValue(let name, _),
            .invalidEscape(let name), .invalidText(let name), .invalidSource(let name, _),
            .needsHints(let name):
            String(name.prefix(40))
        }
    }

    /// For the client.
    package var message: String {
        switch self {
        case .unknownOption:
            "There is no option \"\(parameter)\". Options are "
                + OptionTable.rows.map(\.name).joined(separator: ", ") + "."
        case .missing: "The parameter \"\(parameter)\" is missing."
        case .duplicate: "The parameter \"\(parameter)\" is given more than once."
        case .invalidValue(_, let allowed):
            "The value of \"\(parameter)\" is not allowed. Allowed: \(allowed)."
        case .invalidEscape:
            "The parameter \"\(parameter)\" contains a % without two hexadecimal digits; write %25 for it."
        case .invalidText: "The parameter \"\(parameter)\" contains a control character or is not UTF-8."
        case .invalidSource(_, let error): error.message
        case .needsHints:
            "The value \"auto\" of \"\(parameter)\" needs clients' hints, which are not read here (client-hints.enabled)."
        }
    }
}
