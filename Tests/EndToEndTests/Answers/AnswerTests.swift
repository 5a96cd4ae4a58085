// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("A picture's answer says what it is, how long it holds and how it came about", .endToEnd)
struct AnswerTests {
    private static let picture = Pictures.gradient(60, 40)
    private static let lastModified = "Tue, 07 Jul 2020 10:00:00 GMT"

    private let origin = ScriptedOrigin { peer in
        peer.picture(picture, fields: ["Last-Modified: \(lastModified)", "ETag: \"one\""])
    }

    @Test func `an answer has every field that the interface promises`() throws {
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url("/a"), "w=30")
        #expect(reply.status == 200)
        #expect(reply["Content-Type"] == "image/png")
        #expect(reply["Content-Length"] == "\(reply.body.count)")
        #expect(reply["Last-Modified"] == Self.lastModified)
        #expect(reply["Cache-Control"] == "public, max-age=3600")
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
        #expect(reply["Cross-Origin-Resource-Policy"] == "cross-origin")
        #expect(reply["Access-Control-Allow-Origin"] == "*")
        #expect(reply["Timing-Allow-Origin"] == "*")
        #expect(reply["Link"] == "<\(origin.url("/a").absolute)>; rel=\"canonical\"")
        #expect(reply["Vary"] == nil)
        #expect(reply["Date"]?.wholeMatch(of: /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
        #expect(reply["ETag"]?.wholeMatch(of: /"[!-~]{16,}"/) != nil)
        #expect(
            reply["Cache-Status"]?.wholeMatch(
                of: /pictor;fwd=uri-miss;fwd-status=200;ttl=(3600|35\d\d);stored;detail=rendered/)
                != nil,
            "\(reply["Cache-Status"] ?? "none")")
        let stages = try #require(reply["Server-Timing"])
        for stage in ["origin", "inspect", "decode"] { #expect(stages.contains("\(stage);dur=")) }
        #expect(Set(reply.fields.map { $0.name.lowercased() }).count == reply.fields.count, "no field twice")
    }

    @Test func `a link to a long source is left out, because proxies refuse long heads`() throws {
        let daemon = try DaemonUnderTest()
        for (length, isLinked) in [(1_536, true), (1_537, false), (4_096, false)] {
            let beginning = origin.url("/a?").absolute
            let source = beginning + String(repeating: "x", count: length - beginning.utf8.count)
            for _ in ["made", "cached"] {
                let reply = try daemon.get(DaemonUnderTest.target(source, "w=30"))
                #expect(reply.status == 200, "\(length): \(reply.text)")
                #expect(reply["Link"] == (isLinked ? "<\(source)>; rel=\"canonical\"" : nil), "\(length)")
                let bytes = reply.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
                #expect(bytes < 4_000, "nginx takes 4 KiB of a head by default")
            }
        }
    }

    @Test func `the second answer comes from memory, with the same bytes and no fetch`() throws {
        let daemon = try DaemonUnderTest()
        let first = try daemon.get(origin.url(), "w=30")
        let second = try daemon.get(origin.url(), "w=30")
        #expect(second.status == 200)
        #expect(second["Cache-Status"]?.hasPrefix("pictor;hit;ttl=") == true)
        #expect(second["Cache-Status"]?.hasSuffix(";detail=memoryHit") == true)
        #expect(second["Age"] != nil)
        #expect(second.body == first.body)
        for name in ["ETag", "Content-Type", "Last-Modified", "Cache-Control", "Link"] {
            #expect(second[name] == first[name], "\(name)")
        }
        #expect(origin.heads.count == 1)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `two spellings of one picture are one rendition`() throws {
        let daemon = try DaemonUnderTest()
        let first = try daemon.get(origin.url(), "w=30&q=80&output=jpg")
        let second = try daemon.get(origin.url(), "output=jpeg&quality=80&dpr=1&width=30&fit=inside")
        #expect(second["ETag"] == first["ETag"])
        #expect(second.body == first.body)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `the picture has the colour and the size that were asked for`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.flat(50, 30, [200, 100, 50])) }
        let daemon = try DaemonUnderTest(["--encoder-png-compression", "0"])
        let pixel = try daemon.get(origin.url(), "w=1&h=1&fit=fill")
        #expect(Pictures.colour(ofPixel: pixel.body) == [200, 100, 50])
        for (options, size) in [
            ("w=25", [25, 15]), ("w=20&h=20&fit=cover", [20, 20]), ("w=500", [50, 30]),
        ] {
            let header = try ImageHeader.parse(try daemon.get(origin.url(), options).body)
            #expect([header.width, header.height] == size, "\(options)")
        }
    }

    @Test(arguments: [
        ("jpg", "image/jpeg"), ("png", "image/png"), ("webp", "image/webp"), ("gif", "image/gif"),
        ("avif", "image/avif"),
    ])
    func `each output format is what it says`(name: String, type: String) throws {
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "w=30&output=\(name)")
        #expect(reply["Content-Type"] == type)
        #expect(try ImageHeader.parse(reply.body).format.mediaType == type)
    }

    // MARK: Conditions

    @Test func `a client that has the picture is told so without a fetch`() throws {
        let daemon = try DaemonUnderTest()
        let tag = try #require(try daemon.get(origin.url(), "w=30")["ETag"])
        for validator in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let reply = try daemon.get(origin.url(), "w=30", fields: [("If-None-Match", validator)])
            #expect(reply.status == 304, "\(validator)")
            #expect(reply.body.isEmpty)
            #expect(reply["ETag"] == tag)
            #expect(reply["Cache-Control"] != nil)
        }
        #expect(try daemon.get(origin.url(), "w=30", fields: [("If-None-Match", "\"other\"")]).status == 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `a client that has it since its last change is told so, too`() throws {
        let daemon = try DaemonUnderTest()
        for _ in 1...2 {
            let reply = try daemon.get(
                origin.url(), "w=30", fields: [("If-Modified-Since", Self.lastModified)])
            #expect(reply.status == 304)
        }
        let older = [("If-Modified-Since", "Mon, 06 Jul 2020 10:00:00 GMT")]
        #expect(try daemon.get(origin.url(), "w=30", fields: older).status == 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `a condition that does not hold is a 412`() throws {
        let daemon = try DaemonUnderTest()
        for _ in 1...2 {
            let reply = try daemon.get(origin.url(), "w=30", fields: [("If-Match", "\"other\"")])
            #expect(reply.status == 412)
        }
    }

    @Test func `a single range is answered with that part, and one beyond the end with a 416`() throws {
        let daemon = try DaemonUnderTest()
        let whole = try daemon.get(origin.url(), "w=30")
        let length = whole.body.count
        for (range, part) in [
            ("bytes=0-9", 0..<10), ("bytes=20-", 20..<length), ("bytes=-5", length - 5..<length),
        ] {
            let reply = try daemon.get(origin.url(), "w=30", fields: [("Range", range)])
            #expect(reply.status == 206, "\(range)")
            #expect(reply.body == Array(whole.body[part]), "\(range)")
            #expect(reply["Content-Range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
            #expect(reply["ETag"] == whole["ETag"])
        }
        let beyond = try daemon.get(origin.url(), "w=30", fields: [("Range", "bytes=\(length)-")])
        #expect(beyond.status == 416)
        #expect(beyond["Content-Range"] == "bytes */\(length)")
        let other = [("Range", "bytes=0-9"), ("If-Range", "\"other\"")]
        #expect(try daemon.get(origin.url(), "w=30", fields: other).body == whole.body)
        #expect(origin.heads.count == 1)
    }

    // MARK: The client's Accept

    @Test func `auto answers with the best format that the client takes, and varies by it alone`() throws {
        let daemon = try DaemonUnderTest()
        let table = [
            ("image/avif,image/webp,*/*", "image/avif"), ("image/webp,*/*", "image/webp"),
            ("image/webp;q=0,*/*", "image/jpeg"), ("*/*", "image/jpeg"),
            ("image/avif;q=0,image/webp", "image/webp"),
        ]
        for round in 1...2 {
            for (accept, type) in table {
                let reply = try daemon.get(origin.url(), "w=30&output=auto", fields: [("Accept", accept)])
                #expect(reply["Content-Type"] == type, "\(accept), round \(round)")
                #expect(reply["Vary"] == "Accept")
            }
        }
        #expect(origin.heads.count == 1)
        #expect(try daemon.metric("pictor_renders_total") == 3)
        let fixed = try daemon.get(origin.url(), "w=30&output=webp", fields: [("Accept", "image/png")])
        #expect(fixed["Content-Type"] == "image/webp")
        #expect(fixed["Vary"] == nil)
    }

    // MARK: The protocol

    @Test func `HEAD is GET without the body, cold and from memory`() throws {
        let daemon = try DaemonUnderTest()
        let cold = try daemon.get(origin.url(), "w=30", method: "HEAD")
        let warm = try daemon.get(origin.url(), "w=30", method: "HEAD")
        let get = try daemon.get(origin.url(), "w=30")
        for reply in [cold, warm] {
            #expect(reply.status == 200)
            for name in ["Content-Type", "Content-Length", "ETag", "Cache-Control", "Last-Modified"] {
                #expect(reply[name] == get[name], "\(name)")
            }
        }
        // A body would stand where the next answer begins.
        let connection = try Connection(port: daemon.port)
        try connection.request(DaemonUnderTest.target(origin.url(), "w=30"), method: "HEAD")
        #expect(try connection.reply(bodiless: true).status == 200)
        try connection.request(DaemonUnderTest.target(origin.url(), "w=30"))
        #expect(try connection.reply().body == get.body)
    }

    @Test func `HTTP/1.0 is answered and closed, and kept open when it asks for that`() throws {
        let daemon = try DaemonUnderTest()
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        let body = try daemon.get(target).body
        for fields in ["", "Connection: keep-alive\r\n"] {
            let connection = try Connection(port: daemon.port)
            try connection.send("GET \(target) HTTP/1.0\r\n\(fields)\r\n")
            #expect(try connection.reply().body == body)
            if fields.isEmpty {
                #expect(try connection.isClosed())
            } else {
                try connection.send("GET \(target) HTTP/1.0\r\n\r\n")
                #expect(try connection.reply().body == body)
            }
        }
    }

    @Test func `pipelined answers come in the order of their requests`() throws {
        let asked = Latch()
        let release = Latch()
        let slow = ScriptedOrigin { peer in
            asked.signal()
            release.wait()
            peer.picture(Self.picture)
        }
        let daemon = try DaemonUnderTest(["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        _ = try daemon.get(origin.url(), "w=11")
        let connection = try Connection(port: daemon.port)
        let targets = [
            DaemonUnderTest.target(origin.url(), "w=11"), DaemonUnderTest.target(slow.url(), "w=22"),
            DaemonUnderTest.target(origin.url(), "w=11"), "/nothing",
            DaemonUnderTest.target(origin.url(), "w=33"),
        ]
        try connection.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        #expect(try ImageHeader.parse(try connection.reply().body).width == 11)
        #expect(asked.wait())
        release.signal()
        #expect(try ImageHeader.parse(try connection.reply().body).width == 22)
        #expect(try ImageHeader.parse(try connection.reply().body).width == 11)
        #expect(try connection.reply().status == 404)
        #expect(try ImageHeader.parse(try connection.reply().body).width == 33)
    }
}
