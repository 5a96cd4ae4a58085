// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import RandomInputs
import SourceURLs
import Testing

@Suite("What a purge means, and which work it makes worthless")
struct PurgeModelTests {
    private func key(_ url: String) -> OriginalKey { OriginalKey(url: url) }

    // MARK: Selections

    @Test(arguments: [
        ("http://a.example/", true), ("https://a.example/x?y", true), ("http://a.example:81/", true),
        ("https://a.example:8443/x", true), ("http://a.example.org/", false), ("http://b.a.example/", false),
        ("https://other/?http://a.example/", false), ("http://a.exampl/", false), ("http://a.example", false),
        ("s3://a.example/x", true), ("azure://a.example/x", true), ("file://a.example/x", true),
        ("s3://a.example.org/x", false), ("s3://b/a.example/x", false),
    ])
    func `a host is all of its schemes and ports, and no other host`(url: String, isMeant: Bool) {
        #expect(PurgeSelection.host("a.example").matches(key(url)) == isMeant)
    }

    @Test func `a selection reads back from its words, and another kind is none`() {
        let selections: [PurgeSelection] = [
            .url(key("http://a/b?c")), .prefix("http://a/"), .host("a"), .tag("é t"), .all,
        ]
        for selection in selections {
            let (kind, name) = selection.words
            #expect(PurgeSelection(kind: kind, name: name) == selection)
        }
        for kind in ["", "URL", "bytes", "al"] { #expect(PurgeSelection(kind: kind, name: "x") == nil) }
    }

    @Test func `an address in brackets is a host`() {
        let selection = PurgeSelection.host("[::1]")
        for url in ["http://[::1]/", "https://[::1]:1/x"] { #expect(selection.matches(key(url))) }
        for url in ["http://[::11]/", "http://[1::1]/", "http://::1/"] {
            #expect(!selection.matches(key(url)))
        }
    }

    @Test func `a prefix is compared byte by byte, and no prefix is all`() {
        let url = key("http://a/b/é")
        for prefix in ["http://a/b/é", "http://a/b/", "http://a", "h", ""] {
            #expect(PurgeSelection.prefix(prefix).matches(url), "\(prefix)")
        }
        // The same letter written with two scalars is another URL.
        for prefix in ["http://a/b/e\u{301}", "http://a/b/éx", "HTTP://a", " http", "https"] {
            #expect(!PurgeSelection.prefix(prefix).matches(url), "\(prefix)")
        }
        #expect(PurgeSelection.all.matches(url))
    }

    @Test func `a URL is one URL`() {
        #expect(PurgeSelection.url(key("http://a/b")).matches(key("http://a/b")))
        for url in ["http://a/", "http://a/bc", "http://a/b?"] {
            #expect(!PurgeSelection.url(key("http://a/b")).matches(key(url)))
        }
    }

    @Test func `a tag is none of a URL's, and only a tag looks at tags`() {
        #expect(!PurgeSelection.tag("x").matches(key("x")))
        #expect(PurgeSelection.tag("x").matches(key("http://a/"), tags: ["y", "x"]))
        for tags in [[], ["X"], ["x "], ["xx"], ["y"]] {
            #expect(!PurgeSelection.tag("x").matches(key("http://a/"), tags: tags))
        }
        #expect(!PurgeSelection.url(key("http://a/")).matches(key("http://b/"), tags: ["http://a/"]))
        #expect(PurgeSelection.all.matches(key("http://b/"), tags: []))
    }

    @Test func `what an index is asked for by prefixes is what the selection matches`() {
        let urls = [
            "http://a/", "http://a:81/x", "https://a/", "https://ab/", "http://a/x", "http://a/xy",
            "http://ab/x", "s3://a/x", "s3://ab/x", "file://a/x", "azure://a/",
        ].map(key)
        for selection in [
            PurgeSelection.url(key("http://a/x")), .prefix("http://a/x"), .prefix("http"), .host("a"),
            .tag("a"), .all,
        ] {
            for url in urls {
                let isFound = selection.prefixes.contains { url.url.hasPrefix($0) }
                // A URL's range also holds longer URLs, which do not match.
                guard case .url = selection else {
                    #expect(isFound == selection.matches(url), "\(selection) \(url)")
                    continue
                }
                #expect(isFound || !selection.matches(url))
            }
        }
    }

    // MARK: Time

    private struct Purge {
        var selection: PurgeSelection
        var number: Int
        var closedAt: Int?
        var keys: Set<OriginalKey> = []
    }

    /// Random steps: purges are opened and closed, and work begins at any moment in between.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `work is worthless if a purge of it was open since, or was closed since`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let keys = ["http://a/1", "http://a/2", "http://b/1"].map(key)
        let selections: [PurgeSelection] = [
            .url(keys[0]), .prefix("http://a/"), .host("b"), .tag("t"), .tag("u"), .all,
        ]
        for _ in 0..<50 {
            let log = PurgeLog()
            var purges: [Purge] = []
            var begun: [(step: Int, epoch: PurgeEpoch)] = []
            for step in 0..<30 {
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    let selection = selections.randomElement(using: &random) ?? .all
                    purges.append(Purge(selection: selection, number: log.open(selection)))
                case 1:
                    let open = purges.indices.filter { purges[$0].closedAt == nil }
                    guard let index = open.randomElement(using: &random) else { continue }
                    purges[index].closedAt = step
                    if case .tag = purges[index].selection { purges[index].keys = [keys[2]] }
                    log.close(purges[index].number, keys: purges[index].keys)
                default: begun.append((step, log.epoch))
                }
                for key in keys {
                    for tags in [[], ["t"], ["t", "u"]] {
                        for work in begun {
                            let isWorthless = purges.contains { purge in
                                guard purge.closedAt.map({ $0 > work.step }) ?? true else { return false }
                                return purge.selection.matches(key, tags: tags) || purge.keys.contains(key)
                            }
                            #expect(
                                log.isPurged(key, tags: tags, since: work.epoch) == isWorthless,
                                "\(key.url) \(tags) begun at \(work.step): \(purges)")
                        }
                    }
                }
            }
        }
    }

    @Test func `a purge of either of two originals takes what is made of both`() {
        let (one, other) = (key("http://a/1"), key("http://a/2"))
        for purged in [one, other] {
            let log = PurgeLog()
            let before = log.epoch
            log.close(log.open(.url(purged)), keys: [])
            #expect(log.enter(answerOf: one, and: other, tags: [], since: before) == nil)
            #expect(log.enter(answerOf: other, and: one, tags: [], since: before) == nil)
            #expect((log.enter(one, tags: [], since: before) == nil) == (purged == one))
            #expect(log.enter(answerOf: one, and: other, tags: [], since: log.epoch) != nil)
        }
    }

    @Test func `a renewal ends ready answers of earlier work, and not its own or those of bytes`() {
        let log = PurgeLog()
        let (before, one, other) = (log.epoch, key("http://a/1"), key("http://a/2"))
        let own = log.renew(one, by: before)
        #expect(log.enter(answerOf: one, and: nil, tags: [], since: before) == nil)
        #expect(log.enter(answerOf: other, and: one, tags: [], since: before) == nil)
        #expect(log.enter(answerOf: one, and: nil, tags: [], since: own) != nil)
        #expect(log.enter(answerOf: one, and: nil, tags: [], since: log.epoch) != nil)
        #expect(log.enter(answerOf: other, and: nil, tags: [], since: before) != nil)
        #expect(log.enter(one, tags: [], since: before) != nil)
        // The next renewal ends the answers of the first one's work.
        let latter = log.renew(one, by: log.epoch)
        #expect(log.enter(answerOf: one, and: nil, tags: [], since: own) == nil)
        #expect(log.enter(answerOf: one, and: nil, tags: [], since: latter) != nil)
        // A purge blocks all work that began before it.
        log.close(log.open(.url(one)), keys: [])
        #expect(log.enter(answerOf: one, and: nil, tags: [], since: latter) == nil)
    }

    @Test func `many renewals end more than they should, and never less`() {
        let log = PurgeLog()
        let before = log.epoch
        for number in 0..<300 { _ = log.renew(key("http://a/\(number)"), by: log.epoch) }
        for number in [0, 43, 44, 299] {
            let key = key("http://a/\(number)")
            #expect(log.enter(answerOf: key, and: nil, tags: [], since: before) == nil, "\(number)")
            #expect(log.enter(answerOf: key, and: nil, tags: [], since: log.epoch) != nil)
        }
        #expect(log.enter(answerOf: key("http://b/"), and: nil, tags: [], since: before) == nil)
    }

    @Test func `what is remembered of purges by tag is bounded by their originals`() {
        let log = PurgeLog()
        let (before, mine) = (log.epoch, key("http://mine/"))
        func purge(_ count: Int, _ name: String) {
            log.close(log.open(.tag(name)), keys: Set((0..<count).map { key("http://\(name)/\($0)") }))
        }
        purge(50_000, "a")
        purge(50_000, "b")
        #expect(!log.isPurged(mine, tags: [], since: before))
        let between = log.epoch
        purge(1, "c")
        // The first purge is forgotten, so work that began before it counts as purged, and later work does not.
        #expect(log.isPurged(mine, tags: [], since: before))
        #expect(!log.isPurged(mine, tags: [], since: between))
    }
}
