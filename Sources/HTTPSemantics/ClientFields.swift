// SPDX-License-Identifier: Apache-2.0

/// Fields of a client's request that its origin gets, if the origin's profile passes them on.
///
/// Only their digest is part of the original's key: nothing that is kept, logged, counted or shown holds a value of them.
package struct ClientFields: Sendable, Hashable {
    /// The fields, each once, sorted by name; names in lower case, values as they are sent.
    package let list: [Fields.Field]
    /// The digest of `canonical`, as 64 hexadecimal digits; empty without fields.
    package let variant: String
    /// True if an answer to them is for this client alone, and for no shared cache behind Pictor.
    package let isPrivate: Bool
    /// True if `Authorization` is among them and its answers are not known to be for everybody (RFC 9111 §3.5).
    package let isAuthorized: Bool

    /// No field of the client reaches the origin.
    package static let none = ClientFields(list: [], variant: "", isPrivate: false, isAuthorized: false)

    private init(list: [Fields.Field], variant: String, isPrivate: Bool, isAuthorized: Bool) {
        self.list = list
        self.variant = variant
        self.isPrivate = isPrivate
        self.isAuthorized = isAuthorized
    }

    /// - Parameters:
    ///   - fields: fields with different names, and without control characters in their values.
    ///   - isForAll: true if answers to requests with these fields may be given to everybody.
    ///   - digest: computes SHA-256 as hexadecimal digits.
    package init(_ fields: [Fields.Field], isForAll: Bool, digest: ([UInt8]) -> String) {
        let list = fields.map { Fields.Field($0.name.lowercased(), $0.value) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        guard !list.isEmpty else {
            self = .none
            return
        }
        self.init(
            list: list, variant: digest(Self.canonical(list)),
            isPrivate: !isForAll && list.contains { !Self.isPreference($0.name) },
            isAuthorized: !isForAll && list.contains { $0.name == "authorization" })
    }

    /// The fields as bytes, one line each. No value holds a line feed, so different fields give different bytes.
    private static func canonical(_ list: [Fields.Field]) -> [UInt8] {
        list.flatMap { "\($0.name):\($0.value)\n".utf8 }
    }

    /// True for fields that state a client's preferences, and not its identity (RFC 9110 §12.5, Client Hints).
    /// - Parameter name: in lower case.
    package static func isPreference(_ name: String) -> Bool {
        name == "accept" || name.hasPrefix("accept-") || name.hasPrefix("sec-ch-") || name == "user-agent"
    }

    /// The fields that have one of these names; the names must be in lower case.
    package func among(_ names: [String]) -> [Fields.Field] { list.filter { names.contains($0.name) } }
}

extension ClientFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names only.
    package var description: String { list.map(\.name).joined(separator: ", ") }
    /// The names only.
    package var debugDescription: String { description }
    /// The names only.
    package var customMirror: Mirror { Mirror(self, children: ["names": description]) }
}
