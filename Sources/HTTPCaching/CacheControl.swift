// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// The directives of a response that a shared cache obeys (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
///
/// `no-transform` is not among them: who asks for a rendition asks for the transformation.
package struct CacheControl: Sendable, Hashable {
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let noStore = Flags(rawValue: 1 << 0)
        /// Without a list of fields.
        package static let noCache = Flags(rawValue: 1 << 1)
        /// Without a list of fields.
        package static let isPrivate = Flags(rawValue: 1 << 2)
        package static let isPublic = Flags(rawValue: 1 << 3)
        package static let mustRevalidate = Flags(rawValue: 1 << 4)
        package static let proxyRevalidate = Flags(rawValue: 1 << 5)
        package static let mustUnderstand = Flags(rawValue: 1 << 6)
        package static let immutable = Flags(rawValue: 1 << 7)
    }

    package var flags: Flags = []
    /// Seconds, as all below. A value that cannot be read is 0, because RFC 9111 §4.2.1 wants a response with
    /// invalid freshness to be stale.
    package var maxAge: Int32?
    package var sharedMaxAge: Int32?
    package var staleWhileRevalidate: Int32?
    package var staleIfError: Int32?
    /// Fields that `no-cache="…"` and `private="…"` name, in lower case: not to be kept (RFC 9111 §5.2.2.4,
    /// .7).
    package var withheldFields: Set<String> = []

    package init() {}
}

extension CacheControl {
    /// A `Cache-Control` field value, of several lines joined by commas. Of a directive that comes twice the
    /// first counts (RFC 9111 §4.2.1); both forms of an argument are read (§5.2); unknown directives are
    /// passed over.
    package init(_ text: String) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            while scanner.nextElement() {
                if let name = scanner.token() { apply(name, scanner.directiveArgument()) }
                scanner.skipElement()
            }
        }
    }

    enum Argument {
        case none
        /// Token or inside of a quoted-string.
        case text(UnsafeRawBufferPointer)
        case malformed
    }

    private mutating func apply(_ name: UnsafeRawBufferPointer, _ argument: Argument) {
        if let flag = Self.plainFlag(name) {
            flags.insert(flag)
        } else if name.isSame(as: "must-understand") {
            // It takes `no-store` back, so it has to be spelled right.
            if case .none = argument { flags.insert(.mustUnderstand) }
        } else if name.isSame(as: "no-cache") {
            applyQualified(.noCache, argument)
        } else if name.isSame(as: "private") {
            applyQualified(.isPrivate, argument)
        } else if let seconds = Self.secondsDirective(name), self[keyPath: seconds] == nil {
            self[keyPath: seconds] = Self.seconds(argument) ?? 0
        }
    }

    /// Directives without an argument; one that comes all the same means nothing (RFC 8246 §2 says so).
    static func plainFlag(_ name: UnsafeRawBufferPointer) -> Flags? {
        if name.isSame(as: "no-store") { return .noStore }
        if name.isSame(as: "public") { return .isPublic }
        if name.isSame(as: "must-revalidate") { return .mustRevalidate }
        if name.isSame(as: "proxy-revalidate") { return .proxyRevalidate }
        if name.isSame(as: "immutable") { return .immutable }
        return nil
    }

    static func secondsDirective(_ name: UnsafeRawBufferPointer) -> WritableKeyPath<CacheControl, Int32?>? {
        if name.isSame(as: "max-age") { return \.maxAge }
        if name.isSame(as: "s-maxage") { return \.sharedMaxAge }
        if name.isSame(as: "stale-while-revalidate") { return \.staleWhileRevalidate }
        if name.isSame(as: "stale-if-error") { return \.staleIfError }
        return nil
    }

    private static func seconds(_ argument: Argument) -> Int32? {
        if case .text(let digits) = argument { DeltaSeconds.parse(digits) } else { nil }
    }

    /// With a readable list of fields only these are meant; without one, or with an empty one, everything.
    mutating func applyQualified(_ flag: Flags, _ argument: Argument) {
        guard case .text(let list) = argument else {
            flags.insert(flag)
            return
        }
        var scanner = FieldScanner(list)
        var names: Set<String> = []
        while scanner.nextElement() {
            guard let name = scanner.token(), scanner.isAtElementEnd() else {
                flags.insert(flag)
                return
            }
            names.insert(name.text.lowercased())
        }
        if names.isEmpty { flags.insert(flag) } else { withheldFields.formUnion(names) }
    }
}

extension FieldScanner {
    fileprivate mutating func directiveArgument() -> CacheControl.Argument {
        var argument = CacheControl.Argument.none
        if take(.equals) {
            guard let text = quotedString() ?? token() else { return .malformed }
            argument = .text(text)
        }
        return isAtElementEnd() ? argument : .malformed
    }
}
