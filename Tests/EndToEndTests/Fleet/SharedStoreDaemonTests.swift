// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Several daemons share one store", .endToEnd)
struct SharedStoreDaemonTests: SharingStore {
    let store = StoreDouble()
    let origin = SharedPictures.origin()

    @Test(arguments: [("/a.png", SharedPictures.kinds), ("/large.png", SharedPictures.largeKinds)])
    func `one fetch and one rendering serve them all, with one ETag`(target: String, kinds: [String]) throws {
        let first = try daemon()
        let made = try ask(first, target)
        #expect(
            made.status == 200 && made["Cache-Status"]?.contains("detail=rendered") == true, "\(made.text)")
        #expect(try settle(first, kinds))
        let second = try daemon()
        let found = try ask(second, target)
        #expect(found.status == 200 && found.body == made.body && found["ETag"] == made["ETag"])
        let asked = try #require(made["Cache-Status"])
        #expect(asked.hasPrefix("pictor-store;fwd=miss, pictor;fwd=uri-miss;fwd-status=200;"), "\(asked)")
        let told = try #require(found["Cache-Status"])
        #expect(
            told.wholeMatch(
                of: /pictor-store;hit, pictor;fwd=uri-miss;ttl=\d+;stored;detail=sharedHit/) != nil,
            "\(told)")
        #expect(
            found["Last-Modified"] == made["Last-Modified"] && found["Content-Type"] == made["Content-Type"])
        #expect(origin.heads.count == 1)
        #expect(try second.metric("pictor_renders_total") == 0)
        // Counted once it is sent.
        #expect(
            try Patience.until {
                try second.metric("pictor_requests_total", "outcome=\"sharedHit\"") == 1
            })
        #expect(try reads(second, "hit") == kinds.count)
        // It has its own now.
        #expect(try ask(second, target)["Cache-Status"]?.hasPrefix("pictor;hit;") == true)
        #expect(try reads(second, "hit") == kinds.count)
        #expect(store.refusals.isEmpty, "\(store.refusals)")
        // What was read is not written again.
        #expect(store.requests.filter { $0.hasPrefix("PUT") }.count == kinds.count)
    }

    @Test func `another size is made of the shared original`() throws {
        let first = try daemon()
        _ = try ask(first)
        #expect(try settle(first))
        let second = try daemon()
        let made = try second.get(origin.url("/a.png"), "w=20")
        #expect(made.status == 200 && made["Cache-Status"]?.contains("detail=rendered") == true)
        #expect(origin.heads.count == 1)
        let raw = try second.get(origin.url("/a.png"), "output=raw")
        #expect(raw.body == SharedPictures.small && origin.heads.count == 1)
    }

    @Test func `it outlives a cache that is lost`() throws {
        let first = try daemon()
        let made = try ask(first)
        #expect(try settle(first) && first.stop() == 0)
        let again = try daemon()
        #expect(try ask(again).body == made.body && origin.heads.count == 1)
    }

    @Test func `what waits is written when a daemon ends`() throws {
        let first = try daemon()
        _ = try ask(first)
        #expect(first.stop() == 0)
        #expect(store.objects.count == 2)
    }

    @Test func `a 304 on one node spares another its question`() throws {
        let (first, second) = (try daemon(), try daemon())
        _ = try ask(first, "/stale")
        #expect(try settle(first))
        let confirmed = try ask(second, "/stale")
        #expect(
            confirmed["Cache-Status"]?.contains("fwd-status=304") == true,
            "\(confirmed["Cache-Status"] ?? "")")
        #expect(origin.heads.count == 2)
        #expect(
            try Patience.until {
                try second.metric("pictor_shared_store_writes_total", "result=\"written\"") == 1
            })
        let spared = try ask(first, "/stale")
        #expect(spared["Cache-Status"]?.hasPrefix("pictor-store;hit, pictor;fwd=stale;ttl=") == true)
        #expect(spared.status == 200)
        #expect(origin.heads.count == 2)
        // The entry has its bytes again.
        let third = try daemon()
        #expect(try third.get(origin.url("/stale"), "output=raw").body == SharedPictures.small)
        #expect(origin.heads.count == 2)
    }

    // MARK: An ill store

    @Test(arguments: StoreDouble.Behaviour.allCases, ["/wide/", "/large/"])
    func `whatever the store does, each request gets its picture`(
        behaviour: StoreDouble.Behaviour, folder: String
    )
        throws
    {
        let first = try daemon()
        let expected = (1...3).map { folder + String(repeating: "a", count: $0) }
        let made = try expected.map { try ask(first, $0) }
        #expect(
            try settle(
                first, folder == "/wide/" ? SharedPictures.kinds : SharedPictures.largeKinds,
                of: expected.count))
        store.behaviour = behaviour
        let limit = behaviour == .hanging ? "50ms" : "30s"
        let second = try daemon("--shared-store-first-byte-timeout", limit)
        for _ in 0..<2 {
            for (target, right) in zip(expected, made) {
                let reply = try ask(second, target)
                #expect(reply.status == 200 && reply.body == right.body && reply["ETag"] == right["ETag"])
            }
        }
        if behaviour == .refusing {
            // Of its rests, each of which is longer than the last one, a slow machine may miss some.
            var number = expected.count
            #expect(
                try Patience.until {
                    number += 1
                    _ = try ask(second, folder + String(repeating: "a", count: number))
                    return try reads(second, "skipped") > 0
                })
        }
        let read = try reads(second, "hit")
        switch behaviour {
        case .well, .full, .keeping, .unlisted: #expect(read > 0 && origin.heads.count == 3)
        case .refusing: #expect(try read == 0 && reads(second, "error") >= 5 && reads(second, "skipped") > 0)
        case .hanging: #expect(try read == 0 && reads(second, "timeout") > 0)
        case .cutShort: #expect(try read == 0 && reads(second, "error") > 0)
        case .lying, .truncated, .swapped: #expect(try read == 0 && reads(second, "damaged") > 0)
        }
        if behaviour == .refusing {
            #expect(second.logLine(with: "the shared store is not read for a while", "SlowDown") != nil)
            #expect(try second.metric("pictor_shared_store_in_use", "way=\"read\"") == 0)
        }
        if [.lying, .truncated, .swapped].contains(behaviour) {
            #expect(second.logLine(with: "an object of the shared store is damaged") != nil)
        }
    }

    @Test func `a bucket that is not there is soon read no more`() throws {
        let node = try daemon("--shared-store-bucket", "none")
        var number = 0
        var statuses: Set<Int> = []
        let isSkipped = try Patience.until {
            number += 1
            statuses.insert(try ask(node, "/wide/" + String(repeating: "a", count: number)).status)
            return try reads(node, "skipped") > 0
        }
        #expect(isSkipped && statuses == [200])
        #expect(try reads(node, "miss") == 0 && reads(node, "error") >= 5)
        #expect(node.logLine(with: "the shared store is not read for a while", "NoSuchBucket") != nil)
    }

    @Test func `objects that are too large for a node keep it from no others`() throws {
        let targets = (1...8).map { "/wide/" + String(repeating: "a", count: $0) }
        let first = try daemon()
        let made = try targets.map { try ask(first, $0) }
        #expect(try settle(first, of: targets.count))
        // More than a node takes that holds 64 KiB.
        store.objects = store.objects.mapValues { $0 + [UInt8](repeating: 0, count: 2 << 20) }
        let second = try daemon("--shared-store-queue-bytes", "64KiB")
        for (target, right) in zip(targets, made) {
            let reply = try ask(second, target)
            #expect(reply.status == 200 && reply.body == right.body)
        }
        #expect(try reads(second, "skipped") >= targets.count && reads(second, "error") == 0)
        #expect(try second.metric("pictor_shared_store_in_use", "way=\"read\"") == 1)
    }

    @Test func `a store that tells entries and hangs at bytes is asked for no more bytes after five`()
        throws
    {
        let targets = (1...12).map { "/large/" + String(repeating: "a", count: $0) }
        let first = try daemon()
        let made = try targets.map { try ask(first, $0) }
        #expect(try settle(first, SharedPictures.largeKinds, of: targets.count))
        store.hanging = "pictor/o/"
        let second = try daemon(
            "--shared-store-first-byte-timeout", "2s", "--shared-store-timeout", "4s")
        for (target, right) in zip(targets, made) {
            let reply = try ask(second, target)
            #expect(reply.status == 200 && reply.body == right.body, "\(reply.text)")
        }
        #expect(try reads(second, "timeout") >= 5 && reads(second, "skipped") > 0)
        #expect(
            second.logLine(with: "the shared store is not read for a while", "originals") != nil)
        #expect(try second.metric("pictor_shared_store_in_use", "way=\"read\"") == 0)
        // Entries and renditions are read on.
        #expect(try reads(second, "hit") > 12)
    }

    @Test func `a store that is full costs a count`() throws {
        store.behaviour = .full
        let first = try daemon()
        #expect(try ask(first).status == 200)
        #expect(
            try Patience.until {
                try first.metric("pictor_shared_store_writes_total", "result=\"failed\"") == 2
            })
        #expect(store.objects.isEmpty)
    }

    @Test func `a daemon starts and serves without its store`() throws {
        // By default it is left before it has refused, where the machine is slow.
        let alone = try DaemonUnderTest([
            "--shared-store-endpoint", "http://127.0.0.1:1", "--shared-store-bucket", "shared",
            "--shared-store-hedge", "false", "--shared-store-first-byte-timeout", "30s",
            "--shared-store-timeout", "30s",
        ])
        #expect(try ask(alone).status == 200)
        #expect(try reads(alone, "error") > 0)
    }

    // MARK: Operators

    @Test func `explain names the store, and asks no origin`() throws {
        let first = try daemon()
        _ = try ask(first)
        #expect(try settle(first))
        let second = try daemon()
        let target = DaemonUnderTest.target(origin.url("/a.png"), "w=30").replacing(
            "/img", with: "/admin/explain")
        let unknown = try second.order(target, method: "GET").text
        #expect(
            unknown.contains(
                "the shared store has the original, fresh, and the rendition is in the shared store")
                && unknown.contains("sharedHit") && unknown.contains("held_in"),
            "\(unknown)")
        _ = try second.get(origin.url("/a.png"), "w=20")
        let told = try second.order(target, method: "GET").text
        #expect(
            told.contains("\"shared\"") && told.contains("the rendition is in the shared store"), "\(told)")
        #expect(told.contains("sharedHit") && origin.heads.count == 1)
    }

    @Test func `check tries the bucket, and names what is wrong`() throws {
        let folder = TemporaryFolder()
        func check(_ flags: [String], _ secrets: [String: String] = StoreDouble.secrets) throws
            -> PictorCommand
        {
            try PictorCommand(
                [
                    "check", "--online", "--cache-directory", folder.path, "--server-listen", "127.0.0.1:0",
                    "--admin-listen", "",
                ] + flags, environment: secrets)
        }
        let good = try check(store.flags)
        #expect(
            good.status == 0 && good.error.contains("takes objects and gives them back"), "\(good.error)"
        )
        #expect(store.objects.isEmpty)
        #expect(store.requests.map { $0.prefix(3) } == ["PUT", "GET", "DEL", "GET", "GET"])
        let wrong = try check(store.flags, ["PICTOR_SHARED_STORE_SECRET_KEY": "another"])
        #expect(wrong.status == 1 && wrong.error.contains("SignatureDoesNotMatch"), "\(wrong.error)")
        store.behaviour = .full
        #expect(try check(store.flags).error.contains("QuotaExceeded"))
        store.behaviour = .unlisted
        let blind = try check(store.flags)
        #expect(
            blind.status == 1 && blind.error.contains("may not list the bucket: status 403 (AccessDenied"),
            "\(blind.error)")
        for flags in [
            ["--shared-store-endpoint", "http://127.0.0.1:1"], ["--shared-store-bucket", "A B"],
            ["--shared-store-prefix", "/a"], ["--shared-store-endpoint", "a"],
            ["--shared-store-queue-bytes", "1KiB"],
            ["--shared-store-timeout", "3s"],
        ] {
            let all = flags[1] == "http://127.0.0.1:1" ? flags : store.flags + flags
            #expect(try check(all).status == 78, "\(flags)")
        }
        #expect(try check(store.flags, [:]).error.contains("shared-store.secret-key is not"))
    }

    @Test func `no secret is told anywhere`() throws {
        let first = try daemon("--log-level", "trace")
        _ = try ask(first)
        #expect(try settle(first))
        store.behaviour = .refusing
        _ = try ask(first, "/b.png")
        let told = (first.log + [try first.order("/metrics", method: "GET").text]).joined(separator: "\n")
        for secret in [StoreDouble.keys.secret, "AWS4-HMAC", "Signature="] { #expect(!told.contains(secret)) }
    }
}
