// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import RawStructuredFieldValues

extension CacheControl {
    /// Bytes of the longest accepted field value. The parser compares each new member with all others: the 300 members that fit into
    /// it cost less than a millisecond; the 13,000 that fit into a whole head would take a second.
    private static let longestTargeted = 1_024

    /// Parses `CDN-Cache-Control`, a dictionary of structured fields (RFC 9213 §2.1, RFC 9651 §3.2).
    ///
    /// Nil if the value is empty, too long, malformed, or has a duration that is no integer: the field is
    /// then ignored as a whole. A negative duration counts as 0. The later of two equal keys counts, as in
    /// every dictionary; parameters are ignored.
    package init?(targeted text: String) {
        guard text.utf8.count <= Self.longestTargeted else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue(), members.count > 0 else { return nil }
        for (key, value) in members where !apply(key, value) { return nil }
    }

    /// False if the directive's value has a wrong type.
    private mutating func apply(_ key: String, _ value: ItemOrInnerList) -> Bool {
        key.withFieldBytes { name in
            let item = value.bareItem
            if let seconds = Self.secondsDirective(name) {
                guard case .integer(let value)? = item else { return false }
                self[keyPath: seconds] = Int32(clamping: max(value, 0))
            } else if case .bool(false)? = item {
                return true
            } else if let flag = Self.plainFlag(name) {
                flags.insert(flag)
            } else if name.isSame(as: "must-understand") {
                if case .bool? = item { flags.insert(.mustUnderstand) }
            } else if name.isSame(as: "no-cache") {
                applyQualified(.noCache, item)
            } else if name.isSame(as: "private") {
                applyQualified(.isPrivate, item)
            }
            return true
        }
    }

    private mutating func applyQualified(_ flag: Flags, _ value: RFC9651BareItem?) {
        guard case .string(let list)? = value else {
            flags.insert(flag)
            return
        }
        list.withFieldBytes { applyQualified(flag, .text($0)) }
    }
}

extension ItemOrInnerList {
    /// The value of an item; nil for an inner list.
    fileprivate var bareItem: RFC9651BareItem? {
        if case .item(let item) = self { item.rfc9651BareItem } else { nil }
    }
}
