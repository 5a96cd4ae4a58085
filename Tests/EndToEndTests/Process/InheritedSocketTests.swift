// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A socket that the service manager holds takes the place of server.listen", .endToEnd)
struct InheritedSocketTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test func `it is served, and nothing else is listened to`() throws {
        let socket = try ListeningSocket()
        let daemon = try DaemonUnderTest(socket: socket)
        #expect(daemon.port == socket.port)
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(daemon.log.count { $0.contains("listening") && $0.contains("\"public\"") } == 1)
        #expect(daemon.stop() == 0)
    }

    @Test func `a request that comes between two daemons is answered by the second`() throws {
        let socket = try ListeningSocket()
        let first = try DaemonUnderTest(socket: socket)
        let made = try first.get(origin.url(), "w=30")
        #expect(first.stop() == 0)
        let waiting = try Connection(port: socket.port)
        try waiting.request(DaemonUnderTest.target(origin.url(), "w=30"))
        let second = try DaemonUnderTest(cache: first.cache, socket: socket)
        let reply = try waiting.reply()
        #expect(reply.status == 200 && reply.body == made.body)
        #expect(reply["Cache-Status"]?.hasSuffix("detail=diskHit") == true)
        #expect(second.stop() == 0)
    }

    @Test func `sockets that are meant for another process are left alone`() throws {
        // Its own third descriptor is no listening socket.
        let daemon = try DaemonUnderTest(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
    }

    @Test func `check does not mind that the setting's address is in use then`() throws {
        let (socket, folder) = (try ListeningSocket(), TemporaryFolder())
        let arguments = [
            "check", "--online", "--server-listen", "127.0.0.1:\(socket.port)", "--admin-listen", "",
            "--cache-directory", folder.path,
        ]
        let alone = try PictorCommand(arguments)
        #expect(alone.status == 1 && alone.error.contains("\(socket.port)"), "\(alone.error)")
        let given = try PictorCommand(arguments, socket: socket)
        #expect(given.status == 0, "\(given.error)")
    }
}
