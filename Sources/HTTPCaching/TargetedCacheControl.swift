// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import RawStructuredFieldValues

extension CacheControl {
    /// Bytes of a field value that is read. Its parser looks through all members for each new one: 300 fit in, and cost
    /// less than a millisecond; of the 13,000 that a whole head holds it would be a second.
    private static let longestTargeted = 1_024

    /// A `CDN-Cache-Control` field value: a dictionary of structured fields (RFC 9213 §2.1, RFC 9651 §3.2).
    ///
    /// Nil where it is empty, longer than anybody writes it, cannot be parsed, or gives a duration that is no integer: then the field is to
    /// be ignored as a whole. A negative duration is an integer, and stale. The later of two equal keys
    /// counts, as in every dictionary; parameters mean nothing.
    package init?(targeted text: String) {
        guard text.utf8.count <= Self.longestTargeted else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue(), members.count > 0 else { return nil }
        for (key, value) in members where !apply(key, value) { return nil }
    }

    /// False where the value has a type that the directive cannot have.
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
    /// Nil for an inner list.
    fileprivate var bareItem: RFC9651BareItem? {
        if case .item(let item) = self { item.rfc9651BareItem } else { nil }
    }
}
