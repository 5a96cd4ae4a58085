// SPDX-License-Identifier: Apache-2.0

/// Fields of a client's request that its origin is told, where the origin's profile passes them.
///
/// They are part of the original's key by their digest alone: nothing that is kept, logged, counted or shown holds a
/// value of them.
package struct ClientFields: Sendable, Hashable {
    /// Names in lower case, each once, in their order; values as they are sent.
    package let list: [Fields.Field]
    /// The digest of `canonical`, as 64 hexadecimal digits; empty without fields.
    package let variant: String
    /// True if an answer to them is for the client alone, and for no shared cache behind Pictor.
    package let isPrivate: Bool
    /// True if `Authorization` is among them and its answers are not known to be for all (RFC 9111 §3.5).
    package let isAuthorized: Bool

    /// Nothing of the client reaches the origin.
    package static let none = ClientFields(list: [], variant: "", isPrivate: false, isAuthorized: false)

    private init(list: [Fields.Field], variant: String, isPrivate: Bool, isAuthorized: Bool) {
        self.list = list
        self.variant = variant
        self.isPrivate = isPrivate
        self.isAuthorized = isAuthorized
    }

    /// - Parameters:
    ///   - fields: with values that hold no control characters, and names that occur once.
    ///   - isForAll: true if what they open is for everybody.
    ///   - digest: SHA-256, as hexadecimal digits.
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

    /// A line for each field. No value holds a line feed, so other fields have other bytes.
    private static func canonical(_ list: [Fields.Field]) -> [UInt8] {
        list.flatMap { "\($0.name):\($0.value)\n".utf8 }
    }

    /// True for fields that tell what kind of answer a client prefers, and not who it is (RFC 9110 §12.5, Client Hints).
    /// - Parameter name: in lower case.
    package static func isPreference(_ name: String) -> Bool {
        name == "accept" || name.hasPrefix("accept-") || name.hasPrefix("sec-ch-") || name == "user-agent"
    }

    /// The fields of these names, in lower case.
    package func among(_ names: [String]) -> [Fields.Field] { list.filter { names.contains($0.name) } }
}

extension ClientFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names alone.
    package var description: String { list.map(\.name).joined(separator: ", ") }
    /// The names alone.
    package var debugDescription: String { description }
    /// The names alone.
    package var customMirror: Mirror { Mirror(self, children: ["names": description]) }
}
