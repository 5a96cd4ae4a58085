// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Host parsing by the WHATWG URL standard, but stricter in two ways: a name has no empty label, and only letters, digits, hyphens
/// and underscores, because the public internet resolves no other names.
enum HostName {
    /// RFC 1035 §2.3.4, bytes.
    private static let longestName = 253
    private static let longestLabel = 63

    /// Normalises a host that is not empty, IPv6 in brackets; `SourceURL.host` describes the result.
    static func normalise(_ text: ArraySlice<UInt8>) throws(SourceURLError) -> String {
        if isNormal(text) || text.withUnsafeBytes({ AddressText.v4($0) }) != nil {
            return String(decoding: text, as: UTF8.self)
        }
        if text.first == UInt8(ascii: "[") {
            // An address with a zone is refused, because a zone names an interface of this machine.
            guard text.last == UInt8(ascii: "]"),
                let address = text.dropFirst().dropLast().withUnsafeBytes({ AddressText.v6($0) })
            else { throw .invalidAddress }
            return AddressText.text(v6: address)
        }
        guard let decoded = PercentEscape.decode(text), let name = String(validating: decoded, as: UTF8.self)
        else { throw .invalidHost }
        let start = name.prefix(6).lowercased()
        guard !start.hasPrefix("http:"), start != "https:" else { throw .escapedTwice }
        var labels = try InternationalName.ascii(labelsOf: name)
        // The root's dot is dropped, so that a rule for a name cannot be evaded by writing the name with a dot.
        // Cannot trap: there are several labels.
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        if endsInNumber(labels) {
            guard let address = IPv4Literal.parse(labels) else { throw .invalidAddress }
            return address
        }
        guard labels.allSatisfy(isValid),
            labels.reduce(labels.count - 1, { $0 + $1.utf8.count }) <= longestName
        else { throw .invalidHost }
        return labels.joined(separator: ".")
    }

    /// True for a name that is certainly in normal form already, as most are: lower case, without escapes, and with a last label that
    /// begins no number.
    private static func isNormal(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= longestName else { return false }
        var length = 0
        var beginsWithLetter = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "."):
                guard (1...longestLabel).contains(length) else { return false }
                length = 0
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                if length == 0 { beginsWithLetter = byte >= UInt8(ascii: "a") }
                length += 1
            default: return false
            }
        }
        return (1...longestLabel).contains(length) && beginsWithLetter
    }

    private static func isValid(_ label: String) -> Bool {
        (1...longestLabel).contains(label.utf8.count)
            && label.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }
    }

    /// WHATWG URL, "ends in a number checker": if true, the host is an IPv4 address or invalid.
    private static func endsInNumber(_ labels: [String]) -> Bool {
        guard let last = labels.last, !last.isEmpty else { return false }
        return last.utf8.allSatisfy(\.isASCIIDigit) || IPv4Literal.number(last) != nil
    }
}
