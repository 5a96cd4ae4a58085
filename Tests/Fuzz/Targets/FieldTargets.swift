// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Origin

/// Lines `name: value`, and each of them as every kind of field.
enum FieldsTarget {
    private static let now = Timestamp(seconds: 1_800_000_000)

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        read(text)
        let fields = Fields(
            text.split(separator: "\n").prefix(64).map { line in
                let name = line.prefix { $0 != ":" }
                return Fields.Field(String(name), String(line.dropFirst(name.count + 1)))
            })
        judge(fields)
    }

    private static func read(_ text: String) {
        _ = (CacheControl(text), CacheControl(targeted: text), AcceptClass(text), QualityValue.parse(text))
        _ = RequestDirectives(text)
        _ = Accept.preference(for: "text/plain", having: [.init("version", "1"), .init("q", nil)], in: text)
        _ = RetryAfter.seconds(text, now: now, limit: 86_400)
        // Beyond the year 9999 no date can be written.
        if let date = HTTPDate.parse(text, now: now), date.milliseconds < 253_402_300_800_000 {
            expect(HTTPDate.parse(HTTPDate.format(date), now: now) == date, "a date survives its spelling")
        }
        for tag in EntityTag.list(text) { expect(tag.matchesWeakly(tag), "a tag is like itself") }
        if let range = ByteRange(text) {
            for length in [0, 1, 1000, Int.max] { _ = range.resolve(length: length) }
        }
    }

    private static func judge(_ fields: Fields) {
        let policy = CachePolicy()
        for status in [200, 404] {
            let decision = policy.assess(status: status, fields: fields, by: Transit(at: now))
            guard case .store(let freshness) = decision else { continue }
            _ = ClientDirectives(freshness, at: now, policy: ClientPolicy()).cacheControl.text
        }
        if case .named(let names)? = SelectingFields(fields.combined("Vary")) {
            expect(names == Set(names).sorted(), "names are sorted, and each is there once")
            _ = SelectingFields.named(names).variant(of: fields)
        }
        let stored = StoredFields(fields)
        _ = stored.tags
        expect(StoredFields(serialized: stored.serialized) == stored, "fields survive being kept")
        _ = policy.refresh(stored, with: fields, by: Transit(at: now))
        _ = Preconditions(fields).evaluate(tag: EntityTag(opaque: "a"), lastModified: now, now: now)
    }
}

/// A response's head as libcurl hands it over: line by line.
enum ReplyTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var head = ReplyHead(byteLimit: 2048, lineLimit: 32)
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            // With its line feed, where there was one.
            let end = min(line.endIndex + 1, bytes.count)
            guard end > line.startIndex else { break }
            _ = head.add(UnsafeRawBufferPointer(rebasing: bytes[line.startIndex..<end]))
        }
        for field in head.fields.list {
            expect(
                field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 },
                "no control character passes for a field")
        }
        // As the body of a store's refusal.
        let error = StoreError(bytes)
        expect(
            (error.code + error.message).utf8.allSatisfy { (0x20..<0x7F).contains($0) },
            "a store's words are printable")
        expect(error.code.utf8.count <= 64 && error.message.utf8.count <= 200, "and few")
    }
}
