// SPDX-License-Identifier: Apache-2.0

/// A page in the Prometheus text format 0.0.4:
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
package struct Exposition: Sendable {
    /// The `Content-Type` of the page.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    mutating func begin(_ row: MetricRow) {
        text += "# HELP \(row.name) \(Self.escaped(row.help, quotes: false))\n"
        text += "# TYPE \(row.name) \(row.kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// Backslash and line feed are escaped everywhere, quotes in label values only.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
