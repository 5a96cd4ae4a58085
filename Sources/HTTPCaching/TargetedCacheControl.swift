// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

extension CacheControl {
    /// A `CDN-Cache-Control` field value: a dictionary of structured fields (RFC 9213 §2.1, RFC 9651 §3.2).
    ///
    /// Nil where it is empty, cannot be parsed, or gives a duration that is no integer: then the field is to
    /// be ignored as a whole. A negative duration is an integer, and stale. The later of two equal keys
    /// counts, as in every dictionary; parameters mean nothing.
    package init?(targeted text: String) {
        let members: [StructuredDictionary.Member]? = text.withFieldBytes(StructuredDictionary.parse)
        guard let members, !members.isEmpty else { return nil }
        for member in members where !apply(member) { return nil }
    }

    /// False where the value has a type that the directive cannot have.
    private mutating func apply(_ member: StructuredDictionary.Member) -> Bool {
        member.key.withFieldBytes { key in
            if let seconds = Self.secondsDirective(key) {
                guard case .integer(let value) = member.value else { return false }
                self[keyPath: seconds] = Int32(clamping: max(value, 0))
            } else if case .boolean(false) = member.value {
                return true
            } else if let flag = Self.plainFlag(key) {
                flags.insert(flag)
            } else if key.isSame(as: "must-understand") {
                if case .boolean = member.value { flags.insert(.mustUnderstand) }
            } else if key.isSame(as: "no-cache") {
                applyQualified(.noCache, member.value)
            } else if key.isSame(as: "private") {
                applyQualified(.isPrivate, member.value)
            }
            return true
        }
    }

    private mutating func applyQualified(_ flag: Flags, _ value: StructuredDictionary.Value) {
        guard case .string(let list) = value else {
            flags.insert(flag)
            return
        }
        list.withFieldBytes { applyQualified(flag, .text($0)) }
    }
}
