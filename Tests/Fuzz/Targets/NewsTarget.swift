// SPDX-License-Identifier: Apache-2.0

internal import Fleet

/// What Redis says, and what a node has written of it: read in pieces it is the same, and so it is when it is written
/// again.
enum NewsTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let whole = read(bytes, by: bytes.count)
        for size in [1, 7] { expect(read(bytes, by: size) == whole, "replies are the same in pieces") }
        for reply in whole.replies {
            for entry in StreamEntry.list(reply) ?? [] {
                expect(StreamID(entry.id.text) == entry.id, "an entry's name survives its spelling")
                guard case .purge(let news) = entry.content else { continue }
                let again = PurgeNews(fields: news.fields.map { .text(Array($0.utf8)) })
                expect(again == news, "a purge survives the stream")
                expect(
                    PurgeNews(line: news.line[...], node: news.node) == news, "a purge survives the outbox")
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let record = NewsRecord(text: text) {
            expect(NewsRecord(text: record.text) == record, "a record survives its spelling")
        }
        let node = String(repeating: "0", count: 32)
        if let news = PurgeNews(line: text[...], node: node) {
            expect(PurgeNews(line: news.line[...], node: node) == news, "a line survives its spelling")
        }
    }

    private struct Result: Equatable {
        var replies: [RedisReply] = []
        var hasFailed = false
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, by size: Int) -> Result {
        var result = Result()
        guard let reader = ReplyReader() else { return result }
        var start = 0
        while start < bytes.count {
            let end = min(start + max(1, size), bytes.count)
            do {
                result.replies += try reader.read(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            } catch {
                result.hasFailed = true
                break
            }
            start = end
        }
        // What stands before an error in the same piece is not handed out.
        if result.hasFailed { result.replies = [] }
        return result
    }
}
