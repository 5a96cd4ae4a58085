// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import RawStructuredFieldValues
import Testing

struct CacheStatusTests {
    @Test func `a hit`() {
        #expect(
            CacheStatus(.hit, timeToLive: 376, detail: "memoryHit").text
                == "pictor;hit;ttl=376;detail=memoryHit")
        #expect(CacheStatus(.hit).text == "pictor;hit")
        #expect(
            CacheStatus(.hit, timeToLive: -12, detail: "stale").text == "pictor;hit;ttl=-12;detail=stale")
    }

    @Test(
        arguments: [
            (.bypass, "bypass"), (.uriMiss, "uri-miss"), (.miss, "miss"), (.stale, "stale"),
        ] as [(CacheStatus.Forward, String)])
    func `a forwarded request gives its reason`(reason: CacheStatus.Forward, word: String) {
        #expect(CacheStatus(.forwarded(reason)).text == "pictor;fwd=\(word)")
    }

    @Test func `everything at once, in the order of the RFC`() {
        var status = CacheStatus(.forwarded(.stale), timeToLive: 60, detail: "revalidated")
        status.forwardStatus = 304
        status.isStored = true
        status.isCollapsed = true
        #expect(
            status.text == "pictor;fwd=stale;fwd-status=304;ttl=60;stored;collapsed;detail=revalidated")
    }

    @Test func `every field is a list of one token with parameters, whatever the numbers and words`() throws {
        for detail in [
            "", "memoryHit", "a b", "a;b", "\"a\"", "1a", "é\n", String(repeating: "x", count: 300),
        ] {
            for number in [Int.min, -1, 0, 1, Int.max] {
                var status = CacheStatus(.forwarded(.request), timeToLive: number, detail: detail)
                status.forwardStatus = number
                var parser = StructuredFieldValueParser(Array(status.text.utf8))
                let list = try parser.parseListFieldValue()
                guard list.count == 1, case .item(let item) = list[0] else {
                    Issue.record("no item: \(status.text)")
                    continue
                }
                #expect(item.rfc9651BareItem == .token("pictor"))
                #expect(item.rfc9651Parameters.map(\.0) == ["fwd", "fwd-status", "ttl", "detail"])
            }
        }
    }

    @Test func `several caches are a list, the one closest to the origin first`() throws {
        var node = CacheStatus(.forwarded(.uriMiss), timeToLive: 60, detail: "sharedHit")
        node.isStored = true
        let text = CacheStatus.text([CacheStatus(.hit, of: .store), node])
        #expect(text == "pictor-store;hit, pictor;fwd=uri-miss;ttl=60;stored;detail=sharedHit")
        var parser = StructuredFieldValueParser(Array(text.utf8))
        let list = try parser.parseListFieldValue()
        #expect(list.count == CacheStatus.Cache.allCases.count)
        for (member, cache) in zip(list, CacheStatus.Cache.allCases) {
            guard case .item(let item) = member else {
                Issue.record("no item: \(text)")
                continue
            }
            #expect(item.rfc9651BareItem == .token(cache.rawValue))
        }
    }

    @Test func `a detail that is no token is a string`() {
        #expect(CacheStatus(.hit, detail: "a b").text == "pictor;hit;detail=\"a b\"")
        #expect(CacheStatus(.hit, detail: "a\"é").text == "pictor;hit;detail=\"a\\\"\"")
    }

    @Test func `the parts around the seconds make the same field with any seconds between them`() {
        let parts = CacheStatus(.hit, timeToLive: 0, detail: "memoryHit").aroundTimeToLive
        for seconds in [0, 1, 3600, -5] {
            let text = CacheStatus(.hit, timeToLive: seconds, detail: "memoryHit").text
            #expect(parts.before + "\(seconds)" + parts.after == text)
        }
    }
}
