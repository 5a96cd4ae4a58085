// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Pictures for daemons that share a store.
enum SharedPictures {
    static let small = Pictures.gradient(60, 40)
    /// Too large for an entry.
    static let large = Pictures.gradient(300, 200)
    /// Kinds of objects for a small picture, and for a large one.
    static let (kinds, largeKinds) = (["r", "u"], ["o", "r", "u"])

    static func origin() -> ScriptedOrigin {
        ScriptedOrigin { peer in
            switch peer.target {
            case "/gone":
                if peer.has("If-None-Match: \"1\"") { return peer.answer("404 Not Found") }
                peer.picture(small, fields: ["Age: 3600", "ETag: \"1\""])
            case "/stale":
                if peer.has("If-None-Match: \"1\"") {
                    return peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
                }
                // Of no use after its arrival.
                peer.picture(small, fields: ["Age: 3600", "ETag: \"1\""])
            // Each of another width.
            case let target where target.hasPrefix("/wide/"):
                peer.picture(Pictures.gradient(60 + target.utf8.count, 40), fields: ["ETag: \"1\""])
            case let target where target.hasPrefix("/large/"):
                peer.picture(Pictures.gradient(300 + target.utf8.count, 200), fields: ["ETag: \"1\""])
            case "/large.png": peer.picture(large, fields: ["ETag: \"1\""])
            default: peer.picture(small, fields: ["ETag: \"1\"", "Cache-Tag: shop"])
            }
        }
    }
}

/// A suite of daemons that share a store.
protocol SharingStore {
    var store: StoreDouble { get }
    var origin: ScriptedOrigin { get }
}

extension SharingStore {
    func daemon(_ flags: String..., cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
        try daemon(flags, cache: cache)
    }

    func daemon(_ flags: [String], cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            store.flags + ["--cache-stale-while-revalidate", "0s"] + flags, cache: cache,
            environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
    }

    func ask(_ daemon: DaemonUnderTest, _ target: String = "/a.png") throws -> Connection.Reply {
        try daemon.get(origin.url(target), "w=30")
    }

    /// Waits until the store has an object of each of these kinds for each picture, and nothing waits in this daemon. What is
    /// being written waits no more, and is not there yet.
    func settle(
        _ daemon: DaemonUnderTest, _ kinds: [String] = SharedPictures.kinds, of pictures: Int = 1
    ) throws -> Bool {
        let expected = kinds.flatMap { Array(repeating: $0, count: pictures) }.sorted()
        return try Patience.until {
            let held = store.objects.keys.map { String($0.dropFirst("pictor/".count).prefix(1)) }
            return try daemon.metric("pictor_shared_store_queue") == 0 && held.sorted() == expected
        }
    }

    func reads(_ daemon: DaemonUnderTest, _ result: String) throws -> Int {
        try daemon.metric("pictor_shared_store_reads_total", "result=\"\(result)\"")
    }
}
