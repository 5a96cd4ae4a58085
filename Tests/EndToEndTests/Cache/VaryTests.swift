// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("What an origin chose by our request is used for requests that say the same", .endToEnd)
struct VaryTests {
    private static let picture = Pictures.gradient(60, 40)

    /// Each target's picture varies by the list of that number.
    private func origin(_ lists: [String]) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            guard peer.has("If-None-Match: \"one\"") else {
                let vary = "Vary: \(lists[Int(peer.target.dropFirst()) ?? 0])"
                return peer.picture(Self.picture, fields: ["ETag: \"one\"", vary])
            }
            peer.answer("304 Not Modified", fields: ["ETag: \"one\""])
        }
    }

    @Test func `nothing of a client's request reaches an origin, so any client's may be used for another`()
        throws
    {
        let lists = ["Accept", "User-Agent, Accept-Encoding", "Origin", "Cookie, Accept-Language", ""]
        let origin = origin(lists)
        let daemon = try DaemonUnderTest()
        for number in lists.indices {
            for (agent, accept) in [("one", "image/webp"), ("two", "*/*")] {
                let fields = [
                    ("User-Agent", agent), ("Accept", accept), ("Cookie", agent),
                    ("Origin", "http://\(agent).test"), ("Accept-Language", agent),
                ]
                #expect(try daemon.get(origin.url("/\(number)"), "w=30", fields: fields).status == 200)
            }
        }
        #expect(origin.heads.count == lists.count)
        for head in origin.heads.map({ $0.lowercased() }) {
            #expect(
                !head.contains("cookie") && !head.contains("origin:") && !head.contains("accept-language"))
        }
    }

    @Test func `explain tells that an original varies`() throws {
        let origin = origin(["Accept", ""])
        let daemon = try DaemonUnderTest()
        for (number, flags) in [(0, "[\"varies\"]"), (1, "[]")] {
            let url = origin.url("/\(number)")
            _ = try daemon.get(url, "w=30")
            let target = DaemonUnderTest.target(url, "w=30").replacing("/img?", with: "/admin/explain?")
            #expect(try daemon.admin(target).text.contains("\"flags\":\(flags)"))
        }
    }

    @Test func `what varies by more than the request is never used unasked`() throws {
        let lists = ["*", "Accept, *", " , *"]
        let origin = origin(lists)
        let daemon = try DaemonUnderTest()
        for number in lists.indices {
            for _ in 1...3 { #expect(try daemon.get(origin.url("/\(number)"), "w=30").status == 200) }
        }
        #expect(origin.heads.count == 3 * lists.count)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `under another User-Agent, what was chosen by the old one is asked about, once`() throws {
        let chosen = ["User-Agent", "user-agent , accept"]
        let others = ["Accept", "Cookie", ""]
        let lists = chosen + others
        let origin = origin(lists)
        let folder = TemporaryFolder()
        for (agent, rounds) in [("old", 1), ("old", 1), ("new", 2)] {
            let daemon = try DaemonUnderTest(["--origin-user-agent", agent], cache: folder)
            for _ in 1...rounds {
                for number in lists.indices {
                    #expect(try daemon.get(origin.url("/\(number)"), "w=30").status == 200)
                }
            }
            daemon.stop()
        }
        let later = origin.heads.dropFirst(lists.count)
        #expect(later.count == chosen.count)
        #expect(
            later.allSatisfy {
                $0.contains("User-Agent: new\r\n") && $0.contains("If-None-Match: \"one\"\r\n")
            })
    }
}
