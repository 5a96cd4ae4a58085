// SPDX-License-Identifier: Apache-2.0

/// The codings that `Accept-Encoding` allows (RFC 9110 §12.5.3).
enum AcceptedCoding {
    /// True if the field gives gzip, or `*`, a weight above 0. Without the field, the answer is not compressed.
    static func allowsGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var others = false
        for element in field.split(separator: ",") {
            let parts = element.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first else { continue }
            let isAllowed = !parts.dropFirst().contains { weight in
                guard weight.hasPrefix("q=0") else { return false }
                return weight.dropFirst(3).allSatisfy { $0 == "0" || $0 == "." }
            }
            if name == "gzip" || name == "x-gzip" { return isAllowed }
            if name == "*" { others = isAllowed }
        }
        return others
    }
}
