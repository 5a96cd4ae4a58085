// SPDX-License-Identifier: Apache-2.0

internal import CHiredis

/// Reads replies from bytes as they come, by hiredis's parser. The bytes of one reply, the elements of one array and the depth of
/// nested arrays are limited (see the shim).
///
/// **Isolation:** one thread.
package final class ReplyReader {
    /// The bytes are not RESP, or are too many for one reply. The reader cannot be used any more.
    package struct Failure: Error, Hashable {
        package let words: String
    }

    /// The most bytes of one reply. A page of 128 orders with URLs of 8 kB each has 1.1 MB.
    package static let limit = 4 << 20

    private let own: UnsafeMutablePointer<pictor_redis_reader>
    private let limit: Int
    /// Bytes read since the last complete reply.
    private var pending = 0
    private var failure: Failure?

    /// Nil if there is no memory.
    package init?(limit: Int = limit) {
        guard let own = pictor_redis_reader_make() else { return nil }
        self.own = own
        self.limit = limit
    }

    deinit { pictor_redis_reader_free(own) }

    /// Reads bytes. Returns the replies that they complete.
    package func read(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> [RedisReply] {
        if let failure { throw failure }
        guard let base = bytes.baseAddress, bytes.count > 0 else { return [] }
        var replies: [RedisReply] = []
        // hiredis gets 16 KiB at a time, so that the limit holds however many bytes come at once.
        var start = 0
        while start < bytes.count {
            let count = min(16 << 10, bytes.count - start)
            guard pictor_redis_reader_feed(own, base + start, count) == REDIS_OK else {
                throw fail("what came is no reply of Redis")
            }
            start += count
            pending += count
            while let reply = try next() {
                replies.append(reply)
                pending = 0
            }
            guard pending <= limit else { throw fail("a reply has more than \(limit) bytes") }
        }
        return replies
    }

    private func next() throws(Failure) -> RedisReply? {
        var raw: UnsafeMutablePointer<redisReply>?
        guard pictor_redis_reader_next(own, &raw) == REDIS_OK else {
            throw fail("what came is no reply of Redis, or has too many elements")
        }
        guard let raw else { return nil }
        defer { freeReplyObject(raw) }
        return try value(raw)
    }

    private func value(_ raw: UnsafeMutablePointer<redisReply>) throws(Failure) -> RedisReply {
        switch raw.pointee.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .text(Self.bytes(of: raw))
        case REDIS_REPLY_ERROR: return .error(String(decoding: Self.bytes(of: raw), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return .number(raw.pointee.integer)
        case REDIS_REPLY_NIL: return .none
        case REDIS_REPLY_ARRAY:
            var list: [RedisReply] = []
            for index in 0..<Int(clamping: raw.pointee.elements) {
                guard let element = raw.pointee.element[index] else {
                    throw fail("an array in a reply lacks an element")
                }
                list.append(try value(element))
            }
            return .list(list)
        // Kinds of RESP3, which the link has not asked for.
        default: throw fail("a reply is of an unknown kind")
        }
    }

    private static func bytes(of raw: UnsafeMutablePointer<redisReply>) -> [UInt8] {
        guard let text = raw.pointee.str else { return [] }
        return Array(UnsafeRawBufferPointer(start: text, count: Int(clamping: raw.pointee.len)))
    }

    private func fail(_ words: String) -> Failure {
        let failure = Failure(words: words)
        self.failure = failure
        return failure
    }
}
