// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The request fields by which an origin selected its response: `Vary` (RFC 9110 §12.5.5).
///
/// Fields of a client reach an origin only as a part of the original's key, so they are equal for all requests with one key, and are
/// not compared here. The other fields of our requests change only with a setting, so a kept response nearly always matches; after
/// such a change it does not match if `Vary` names a changed field.
package enum SelectingFields: Sendable, Hashable {
    /// `*`, alone or in a list, or a value that is unreadable or too long to be read: no later request matches.
    case everything
    /// The names in lower case, sorted.
    case named([String])

    /// Bytes of the longest list that is read, because it is read at each look at a held response.
    private static let longest = 1_024

    /// Nil if `Vary` is missing or names nothing.
    package init?(_ vary: String?) {
        guard let vary else { return nil }
        guard vary.utf8.count <= Self.longest else {
            self = .everything
            return
        }
        var names: Set<String> = []
        let isEverything = vary.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            while scanner.nextElement() {
                guard let name = scanner.token(), scanner.isAtElementEnd(), !name.isSame(as: "*") else {
                    return true
                }
                names.insert(name.text.lowercased())
            }
            return false
        }
        if isEverything {
            self = .everything
        } else if names.isEmpty {
            return nil
        } else {
            self = .named(names.sorted())
        }
    }

    /// The request's values of these fields in one text; equal texts mean equal values. A missing field differs from an empty one.
    package func variant(of request: Fields) -> String {
        guard case .named(let names) = self else { return "*" }
        return names.map { name in
            request.combined(name).map { "\(name)=\($0.utf8.count):\($0)" } ?? name
        }.joined(separator: ", ")
    }
}
