// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("A store may be shared for originals alone, or for renditions alone", .endToEnd)
struct SharedPartTests: SharingStore {
    let store = StoreDouble()
    let origin = SharedPictures.origin()

    private func expectRendered(_ reply: Connection.Reply) {
        #expect(reply.status == 200 && reply["Cache-Status"]?.contains("detail=rendered") == true)
    }

    @Test(arguments: [("/a.png", ["u"]), ("/large.png", ["o", "u"])])
    func `without renditions each node makes its own of one fetch`(target: String, kinds: [String]) throws {
        let flags = ["--shared-store-renditions", "false"]
        let first = try daemon(flags)
        expectRendered(try ask(first, target))
        #expect(try settle(first, kinds))
        let second = try daemon(flags)
        expectRendered(try ask(second, target))
        #expect(origin.heads.count == 1)
        // All that waited is written.
        #expect(first.stop() == 0 && second.stop() == 0)
        #expect(store.objects.count == kinds.count)
        #expect(!store.requests.contains { $0.contains(" pictor/r/") })
    }

    @Test(arguments: ["/a.png", "/large.png"])
    func `without originals each node fetches its own, and one makes the picture`(target: String) throws {
        let flags = ["--shared-store-originals", "false"]
        let first = try daemon(flags)
        let made = try ask(first, target)
        expectRendered(made)
        #expect(try settle(first, ["r"]))
        let second = try daemon(flags)
        let found = try ask(second, target)
        #expect(found.status == 200 && found.body == made.body && found["ETag"] == made["ETag"])
        #expect(found["Cache-Status"]?.hasPrefix("pictor-store;fwd=bypass;detail=rendition, ") == true)
        #expect(origin.heads.count == 2)
        #expect(try second.metric("pictor_renders_total") == 0 && reads(second, "hit") == 1)
        #expect(first.stop() == 0 && second.stop() == 0)
        #expect(store.requests.allSatisfy { $0.contains(" pictor/r/") }, "\(store.requests)")
    }

    @Test func `a purge at a node that shares renditions alone takes them from the store`() throws {
        let flags = ["--shared-store-originals", "false"]
        let first = try daemon(flags)
        _ = try ask(first)
        #expect(try settle(first, ["r"]))
        let order = "{\"url\":\"\(origin.url("/a.png").absolute)\"}"
        #expect(try first.order("/admin/purge", order).status == 200)
        #expect(try settle(first, []))
    }
}
