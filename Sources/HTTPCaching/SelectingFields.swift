// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// What a response's `Vary` names: the fields of the request by which the origin chose it (RFC 9110 §12.5.5).
///
/// No field of a client reaches an origin. What we send is the same in every request until a setting changes, so
/// most often everything that was kept may be used; but what was kept before a change may not, where the origin
/// said that it would have answered differently.
package enum SelectingFields: Sendable, Hashable {
    /// `*`, alone or in a list: no later request ever matches.
    case everything
    /// In lower case, sorted.
    case named([String])

    /// Nil: none.
    package init?(_ vary: String?) {
        guard let vary else { return nil }
        var names: Set<String> = []
        let hasStar = vary.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            while scanner.nextElement() {
                if let name = scanner.token() {
                    if name.isSame(as: "*"), scanner.isAtElementEnd() { return true }
                    names.insert(name.text.lowercased())
                }
                scanner.skipElement()
            }
            return false
        }
        if hasStar {
            self = .everything
        } else if names.isEmpty {
            return nil
        } else {
            self = .named(names.sorted())
        }
    }

    /// What the request said in these fields, as one text; equal texts, equal fields. A field that it did not have
    /// is told from an empty one.
    package func variant(of request: Fields) -> String {
        guard case .named(let names) = self else { return "*" }
        return names.map { name in
            request.combined(name).map { "\(name)=\($0.utf8.count):\($0)" } ?? name
        }.joined(separator: ", ")
    }
}
