// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// The directives of a response that a shared cache obeys (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
///
/// `no-transform` is not among them: a request for a rendition asks for a transformation.
package struct CacheControl: Sendable, Hashable {
    /// Directives without a number.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// A bit for each directive.
        package let rawValue: UInt16
        /// Takes the bits.
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The response must not be stored.
        package static let noStore = Flags(rawValue: 1 << 0)
        /// Without a list of fields; `no-cache="…"` fills `withheldFields` instead.
        package static let noCache = Flags(rawValue: 1 << 1)
        /// Without a list of fields; `private="…"` fills `withheldFields` instead.
        package static let isPrivate = Flags(rawValue: 1 << 2)
        /// Makes responses cacheable whose status alone does not (RFC 9111 §5.2.2.9).
        package static let isPublic = Flags(rawValue: 1 << 3)
        /// The response must not be served stale.
        package static let mustRevalidate = Flags(rawValue: 1 << 4)
        /// `must-revalidate` for shared caches only.
        package static let proxyRevalidate = Flags(rawValue: 1 << 5)
        /// Allows storing in spite of `no-store`, if the cache understands the status (RFC 9111 §5.2.2.3).
        package static let mustUnderstand = Flags(rawValue: 1 << 6)
        /// No reload revalidates the response while it is fresh (RFC 8246).
        package static let immutable = Flags(rawValue: 1 << 7)
    }

    /// The flags of the response.
    package var flags: Flags = []
    /// `max-age` in seconds; nil without it. An unreadable value counts as 0, because RFC 9111 §4.2.1 treats
    /// invalid freshness as stale.
    package var maxAge: Int32?
    /// `s-maxage`, as `maxAge`.
    package var sharedMaxAge: Int32?
    /// Seconds past the lifetime, as `maxAge` (RFC 5861 §3).
    package var staleWhileRevalidate: Int32?
    /// Seconds past the lifetime, as `maxAge` (RFC 5861 §4).
    package var staleIfError: Int32?
    /// Fields that `no-cache="…"` and `private="…"` name, in lower case; they must not be kept (RFC 9111
    /// §5.2.2.4, §5.2.2.7).
    package var withheldFields: Set<String> = []

    /// No directive.
    package init() {}
}

extension CacheControl {
    /// Parses a `Cache-Control` value, several lines joined by commas. The first of two equal directives counts (RFC 9111 §4.2.1);
    /// arguments may be tokens or quoted strings (§5.2); unknown directives are ignored. In an unreadable part, such as after a
    /// semicolon or an open quote, directives that forbid something still count.
    package init(_ text: String) {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            while scanner.nextElement() {
                if let name = scanner.token() { apply(name, scanner.directiveArgument()) }
                if !scanner.isAtElementEnd() { heedWords(&scanner) }
            }
        }
    }

    /// Reads the rest of an element that breaks the grammar; after an open quote this is the rest of the value.
    private mutating func heedWords(_ scanner: inout FieldScanner) {
        var isOpen = false
        while let byte = scanner.peek, isOpen || byte != .comma {
            if let word = scanner.token() {
                if word.isSame(as: "no-store") { flags.insert(.noStore) }
                if word.isSame(as: "no-cache") { flags.insert(.noCache) }
                if word.isSame(as: "private") { flags.insert(.isPrivate) }
            } else if isOpen || scanner.quotedString() == nil {
                isOpen = isOpen || byte == .quote
                _ = scanner.take(byte)
            }
        }
    }

    enum Argument {
        case none
        /// The token, or the inside of the quoted-string.
        case text(UnsafeRawBufferPointer)
        case malformed
    }

    private mutating func apply(_ name: UnsafeRawBufferPointer, _ argument: Argument) {
        if let flag = Self.plainFlag(name) {
            flags.insert(flag)
        } else if name.isSame(as: "must-understand") {
            // It revokes `no-store`, so only the correct spelling counts.
            if case .none = argument { flags.insert(.mustUnderstand) }
        } else if name.isSame(as: "no-cache") {
            applyQualified(.noCache, argument)
        } else if name.isSame(as: "private") {
            applyQualified(.isPrivate, argument)
        } else if let seconds = Self.secondsDirective(name), self[keyPath: seconds] == nil {
            self[keyPath: seconds] = Self.seconds(argument) ?? 0
        }
    }

    /// The flag of a directive without argument; nil for other names. An argument is ignored (RFC 8246 §2).
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

    /// A readable list of fields limits the directive to them; a missing or empty list means the whole
    /// response.
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
