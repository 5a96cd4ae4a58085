// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

extension RequestError {
    /// The sentence for the client.
    package var message: String {
        switch self {
        case .unknownOption(_, let mayBeOfSource):
            "There is no option \"\(parameter)\".\(advice(mayBeOfSource)) Options are \(Self.options)."
        case .missing: "The parameter \"\(parameter)\" is missing."
        case .duplicate(_, let mayBeOfSource):
            "The parameter \"\(parameter)\" is given more than once\(otherNames).\(advice(mayBeOfSource))"
        case .invalidValue(_, let allowed):
            "The value of \"\(parameter)\" is not allowed. Allowed: \(allowed)."
        case .invalidEscape:
            "The parameter \"\(parameter)\" contains a % without two hexadecimal digits; write %25 for it."
        case .invalidPath:
            "The URL's path contains a % without two hexadecimal digits; write %25 for it."
        case .invalidText: "The parameter \"\(parameter)\" contains a control character or is not UTF-8."
        case .invalidSource(_, let error): error.message
        case .needsHints:
            "The value \"auto\" of \"\(parameter)\" needs clients' hints, which are not read here (client-hints.enabled)."
        }
    }

    /// Advice for common mistakes.
    private func advice(_ mayBeOfSource: Bool) -> String {
        if parameter.hasPrefix("amp;") { return " Write & and not &amp;, which is for HTML alone." }
        return mayBeOfSource ? " If it is a part of the source, write the & before it as %26." : ""
    }

    private static let options = OptionTable.rows.map(\.name).joined(separator: ", ")

    /// All names of the parameter, if it has several.
    private var otherNames: String {
        let sources = ["url", "url64"]
        let option = OptionTable.option(named: parameter)
        let names = sources.contains(parameter) ? sources : option.map { [$0.name] + $0.synonyms } ?? []
        return names.count > 1 ? ": \(names.joined(separator: " and ")) are the same" : ""
    }
}
