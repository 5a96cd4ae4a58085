// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Originals of 6 MB that nobody may keep: more than the sockets of a client hold that reads nothing.
@Suite("What slow readers hold is within a budget", .endToEnd)
struct HeldBytesDaemonTests {
    private static let small = Pictures.gradient(60, 40)
    private static let length = 6 << 20
    private static let large = small + [UInt8](repeating: 0, count: length - small.count)
    private static let limit = 24 << 20

    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case disk, memory

        /// In memory, because the disk is below its minimum.
        var flags: [String] {
            [
                "--cache-held-\(rawValue)", "24MiB", "--cache-memory", "0B", "--origin-maximum-body", "12MiB",
                "--decoder-maximum-output", "12MiB",
            ]
                + (self == .memory ? ["--cache-minimum-free", "1000TiB"] : [])
        }
        var label: String { "where=\"\(rawValue)\"" }
        var testDescription: String { rawValue }
    }

    private let origin = ScriptedOrigin { peer in
        switch peer.target.prefix(6) {
        case "/large":
            peer.answer(fields: ["Content-Type: image/png", "Cache-Control: no-store"], body: large)
        case "/chunk":
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
            )
            peer.send(large)
            peer.close()
        // Equal ones would share a file.
        case "/kept/": peer.picture(large.dropLast() + [peer.target.utf8.last ?? 0])
        default: peer.picture(small, fields: ["Cache-Control: no-store"])
        }
    }

    private func reader(_ daemon: DaemonUnderTest, _ path: String) throws -> Connection {
        let reader = try Connection(port: daemon.port)
        try reader.request(DaemonUnderTest.target(origin.url(path), "output=raw"))
        return reader
    }

    private func held(_ daemon: DaemonUnderTest, _ place: Place) throws -> Int {
        try daemon.metric("pictor_held_bytes", place.label)
    }

    @Test(arguments: Place.allCases, ["/large", "/chunk"])
    func `large bodies fill no more than it, small ones find room, and all is given back`(
        _ place: Place, _ kind: String
    ) throws {
        // The readers are to stay however long the rest takes.
        let daemon = try DaemonUnderTest(place.flags + ["--server-send-timeout", "10m"])
        var readers: [Connection] = []
        // Each leaves as much as it takes: 6, 12, 18 of 24 MiB.
        for number in 1...3 {
            readers.append(try reader(daemon, "\(kind)/\(number)"))
            #expect(try Patience.until { try held(daemon, place) == number * Self.length })
        }
        for number in 4..<12 {
            let reply = try daemon.get(origin.url("\(kind)/\(number)"), "output=raw")
            #expect(reply.status == 503 && reply["Retry-After"] != nil, "\(reply.status)")
            #expect(reply.text.contains("overloaded"))
            let guest = try daemon.get(origin.url("/small/\(number)"), "w=30")
            #expect(guest.status == 200, "\(guest.text)")
            #expect(daemon.namelessBytes <= Self.limit)
        }
        #expect(try daemon.metric("pictor_held_refusals_total", place.label) >= 8)
        #expect(try daemon.metric("pictor_held_limit_bytes", place.label) == Self.limit)
        // What the last refused body held is given back behind its answer.
        #expect(
            try Patience.until {
                try daemon.order("/admin/stats", method: "GET").text.contains(
                    "\"\(place.rawValue)_bytes\":\(3 * Self.length)")
            })
        for reader in readers { reader.close() }
        #expect(try Patience.until { try held(daemon, place) == 0 })
        #expect(Patience.until { daemon.namelessBytes == 0 })
        let reply = try daemon.get(origin.url("\(kind)/99"), "output=raw")
        #expect(reply.status == 200 && reply.body == Self.large)
    }

    @Test func `a slow reader is cut once more than half is held, and not before`() throws {
        let daemon = try DaemonUnderTest(Place.disk.flags + ["--server-send-timeout", "3s"])
        // 0.4 MB/s at most: far more than the least rate, and less than a quarter of the body in three seconds. So it takes a
        // quarter of a minute, and where the machine has much else to do more than one.
        let alone = try reader(daemon, "/large/0")
        var taken = 0
        func takesAll() -> Bool {
            Patience.until {
                taken += alone.take(atMost: 4_096)
                return taken >= Self.length
            }
        }
        #expect(takesAll() || takesAll(), "\(taken)")
        // Its file is closed behind it, and counts until then.
        #expect(try Patience.until { try held(daemon, .disk) == 0 })
        let readers = try (1...3).map { number in
            let reader = try reader(daemon, "/large/\(number)")
            #expect(try reader.read(until: "\r\n\r\n").contains(" 200 "))
            return reader
        }
        #expect(
            try Patience.until {
                for reader in readers { _ = reader.take(atMost: 2_048) }
                return try held(daemon, .disk) <= Self.limit / 2
            })
        let reply = try daemon.get(origin.url("/large/4"), "output=raw")
        #expect(reply.status == 200 && reply.body == Self.large)
    }

    @Test func `what the cache counts is not held, and what it drops is, for as long as it is read`() throws {
        let daemon = try DaemonUnderTest(Place.disk.flags, environment: DaemonUnderTest.trusting)
        let readers = try (1...3).map { number in
            let reader = try reader(daemon, "/kept/\(number)")
            let head = try reader.read(until: "\r\n\r\n")
            #expect(head.contains(" 200 "), "\(head)")
            return reader
        }
        #expect(
            try Patience.until { try daemon.metric("pictor_disk_bytes") > 3 * Self.length },
            "\((try? daemon.admin("/metrics").text) ?? "")")
        #expect(try Patience.until { try held(daemon, .disk) == 0 })
        #expect(try daemon.order("/admin/purge", "{\"all\":true}").status == 200)
        #expect(try Patience.until { try held(daemon, .disk) >= 3 * Self.length })
        #expect(try daemon.get(origin.url("/large/1"), "output=raw").status == 503)
        #expect(try daemon.get(origin.url("/small/1"), "w=30").status == 200)
        for reader in readers { reader.close() }
        #expect(try Patience.until { try held(daemon, .disk) == 0 })
    }
}
