// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("What is purged is gone from the store that daemons share", .endToEnd)
struct SharedStorePurgeTests: SharingStore {
    let store = StoreDouble()
    let origin = SharedPictures.origin()

    private func purge(_ daemon: DaemonUnderTest, _ order: String) throws {
        let reply = try daemon.order("/admin/purge", order)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test func `a purged URL is gone from the store, and every node asks its origin again`() throws {
        let first = try daemon()
        _ = try ask(first)
        #expect(try settle(first))
        try purge(first, #"{"url":"\#(origin.url("/a.png").absolute)"}"#)
        #expect(try settle(first, []))
        let second = try daemon()
        #expect(try ask(second)["Cache-Status"]?.contains("detail=rendered") == true)
        #expect(origin.heads.count == 2)
    }

    @Test(arguments: [("/a.png", SharedPictures.kinds), ("/large.png", SharedPictures.largeKinds)])
    func `a purge at a node that never had the picture empties the store as well`(
        target: String, kinds: [String]
    ) throws {
        let first = try daemon()
        _ = try ask(first, target)
        #expect(try settle(first, kinds))
        let second = try daemon()
        try purge(second, #"{"url":"\#(origin.url(target).absolute)"}"#)
        #expect(try settle(second, []))
        #expect(store.refusals.isEmpty, "\(store.refusals)")
    }

    @Test(arguments: ["host", "prefix", "tag", "all"])
    func `what a node has purged it does not read back, even after a restart`(word: String) throws {
        let first = try daemon()
        _ = try ask(first)
        #expect(try settle(first))
        store.behaviour = .keeping
        let order =
            switch word {
            case "host": #"{"host":"127.0.0.1"}"#
            case "prefix": #"{"prefix":"\#(origin.url("/").absolute)"}"#
            case "tag": #"{"tag":"shop"}"#
            default: #"{"all":true}"#
            }
        try purge(first, order)
        #expect(first.stop() == 0)
        #expect(store.objects.count == 2)
        let again = try daemon(cache: first.cache)
        #expect(try ask(again)["Cache-Status"]?.contains("detail=rendered") == true)
        #expect(origin.heads.count == 2)
        #expect(try reads(again, "purged") == 2)
    }

    @Test func `what an origin has no more is deleted`() throws {
        let first = try daemon()
        #expect(try ask(first, "/gone").status == 200)
        #expect(try settle(first))
        #expect(try ask(first, "/gone").status == 404)
        #expect(try settle(first, ["r"]))
    }
}
