// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Pictures of blobs in Azure Blob Storage", .endToEnd)
struct BlobStoreDaemonTests {
    private static let keys = ReferenceSharedKey(
        account: "myaccount", key: "YS1zZWNyZXQtdGhhdC1ub2JvZHktcHJpbnRz")
    private static let picture = Pictures.gradient(60, 40)
    private static let secrets = ["PICTOR_AZURE_ACCOUNT_KEY": keys.key]
    private static let token = "sv=2022-11-02&sr=c&sp=r&sig=c2VjcmV0LXNlY3JldA%3D%3D"

    private let store = ScriptedOrigin { peer in
        let path = peer.target.prefix { $0 != "?" }
        if !peer.target.hasSuffix("?\(token)"), let refusal = keys.refusal(of: peer.head) {
            return peer.answer("403 Forbidden", body: "<Error><Code>\(refusal)</Code></Error>".utf8)
        }
        switch path {
        case "/media": peer.answer(body: "<EnumerationResults/>".utf8)
        case "/media/a%20b.png":
            if peer.has("If-None-Match: \"0x1\"") { return peer.answer("304 Not Modified") }
            peer.picture(picture, maxAge: 0, fields: ["ETag: \"0x1\""])
        case "/media/closed":
            peer.answer(
                "403 Forbidden",
                body:
                    "<Error><Code>AuthorizationPermissionMismatch</Code><Message>No \(peer.target)</Message></Error>"
                    .utf8)
        default:
            peer.answer("404 Not Found", body: "<Error><Code>BlobNotFound</Code></Error>".utf8)
        }
    }

    private var flags: [String] {
        [
            "--azure-endpoint", "http://127.0.0.1:\(store.port)", "--azure-containers", "media",
            "--azure-account", Self.keys.account, "--origin-aliases", "pics=azure://media/",
            "--origin-allow-private", "false",
        ]
    }

    private func daemon(
        _ more: String..., environment: [String: String] = secrets
    ) throws -> DaemonUnderTest {
        try DaemonUnderTest(flags + more, environment: environment)
    }

    private func ask(_ daemon: DaemonUnderTest, _ source: String) throws -> Connection.Reply {
        try daemon.get(DaemonUnderTest.target(source, "w=30"))
    }

    private func explained(_ daemon: DaemonUnderTest, _ source: String) throws -> String {
        try daemon.admin(DaemonUnderTest.target(source).replacing("/img", with: "/admin/explain")).text
    }

    @Test func `a blob is a picture by each of its names, and errors are the service's`() throws {
        let daemon = try daemon("--cache-stale-while-revalidate", "0s")
        let first = try ask(daemon, "azure://media/a b.png")
        #expect(first.status == 200, "\(first.text)")
        let second = try ask(daemon, "pics/a%20b.png")
        #expect(second["ETag"] == first["ETag"] && second["Cache-Status"]?.contains("fwd-status=304") == true)
        #expect(store.heads.count == 2)
        #expect(try explained(daemon, "pics/a b.png").contains("azure://media/a%20b.png"))
        for (source, status, answer, log) in [
            ("azure://media/none.png", 404, "origin_status", "BlobNotFound"),
            (
                "azure://media/closed", 502, "The origin answered 403",
                "AuthorizationPermissionMismatch: No /media/closed"
            ),
        ] {
            let reply = try ask(daemon, source)
            #expect(reply.status == status && reply.text.contains(answer), "\(reply.text)")
            #expect(!reply.text.contains("Mismatch"))
            #expect(daemon.logLine(with: "no picture was fetched", source, log) != nil)
        }
        for source in [
            "azure://other/a.png", "s3://media/a.png", "http://127.0.0.1:\(store.port)/media/a%20b.png",
        ] {
            #expect(try ask(daemon, source).text.contains("source_refused"))
        }
        #expect(try ask(daemon, "azure://media/a?sv=1").text.contains("has no query"))
    }

    @Test(arguments: [
        ["PICTOR_AZURE_SAS_TOKEN": "?\(token)"], ["AZURE_STORAGE_KEY": keys.key],
    ])
    func `no secret and no signature is told anywhere`(secret: [String: String]) throws {
        let daemon = try daemon("--log-level", "trace", environment: secret)
        var told: [String] = []
        for (source, status) in [
            ("azure://media/a b.png", 200), ("azure://media/none", 404), ("pics/closed", 502),
        ] {
            let reply = try ask(daemon, source)
            #expect(reply.status == status, "\(reply.text)")
            told += reply.fields.map(\.value)
            told += [status == 200 ? "" : reply.text, try explained(daemon, source)]
        }
        #expect(daemon.logLine(with: "azure://media/closed") != nil)
        told += daemon.log
        told += [try daemon.admin("/metrics").text, try daemon.admin("/admin/stats").text]
        for hidden in [Self.keys.key, "SharedKey", "sig=", "c2VjcmV0"] {
            #expect(!told.joined(separator: "\n").contains(hidden))
        }
    }

    /// So a container answers in which strangers may read blobs and not list them.
    @Test func `check takes a service that lists nothing for strangers for one that answers`() throws {
        let folder = TemporaryFolder()
        let closed = ScriptedOrigin { peer in
            peer.answer(
                "401 Unauthorized", body: "<Error><Code>NoAuthenticationInformation</Code></Error>".utf8)
        }
        let flags = flags.with("--azure-endpoint", "http://127.0.0.1:\(closed.port)") + ["--online"]
        let stranger = try PictorCommand.check(flags, cache: folder.path, environment: [:])
        #expect(stranger.status == 0, "\(stranger.error)")
        let keyed = try PictorCommand.check(flags, cache: folder.path, environment: Self.secrets)
        #expect(keyed.status == 1 && keyed.error.contains("NoAuthenticationInformation"), "\(keyed.error)")
    }

    @Test func `check names what is wrong, and tries each container`() throws {
        let folder = TemporaryFolder()
        func check(_ flags: [String], _ environment: [String: String] = Self.secrets) throws -> PictorCommand
        {
            try PictorCommand.check(flags, cache: folder.path, environment: environment)
        }
        let good = try check(flags + ["--online"])
        #expect(good.status == 0 && good.error.contains("The container media of"), "\(good.error)")
        let wrong = try check(flags + ["--online"], ["AZURE_STORAGE_KEY": "b3RoZXI="])
        #expect(wrong.status == 1 && wrong.error.contains("AuthenticationFailed"), "\(wrong.error)")
        for (flags, environment, words) in [
            (flags + ["--azure-endpoint", "http://a/?\(Self.token)"], [:], "azure.endpoint is no URL"),
            (flags + ["--azure-account="], Self.secrets, "azure.account is not"),
            (flags.with("--azure-containers", ""), [:], "azure.containers is empty"),
            (flags.with("--azure-containers", "Media"), [:], "azure"),
            (flags, ["PICTOR_AZURE_ACCOUNT_KEY": "hidden-"], "is no base64"),
            (flags, ["PICTOR_AZURE_SAS_TOKEN": "sv=1&hidden-"], "is no shared access signature"),
            (
                flags, ["PICTOR_AZURE_ACCOUNT_KEY": "a", "PICTOR_AZURE_SAS_TOKEN": Self.token],
                "are both set"
            ),
            (
                flags, ["AZURE_STORAGE_KEY": "a", "AZURE_STORAGE_SAS_TOKEN": Self.token], "are both set"
            ),
            (flags + ["--azure-account="], ["AZURE_STORAGE_ACCOUNT": "a.example/x"], "is no name"),
        ] {
            let report = try check(flags, environment)
            #expect(report.status == 78 && report.error.contains(words), "\(report.error)")
            #expect(!report.error.contains("c2VjcmV0") && !report.error.contains("hidden-"))
        }
    }
}
