// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Pictures of objects in a store that speaks S3", .endToEnd)
struct ObjectStoreDaemonTests {
    private static let keys = ReferenceSignature(
        accessKey: "AKIDEXAMPLE", secret: "a-secret-that-nobody-prints")
    private static let picture = Pictures.gradient(60, 40)
    private static let secrets = ["PICTOR_S3_SECRET_KEY": keys.secret]

    private let folder = TemporaryFolder()
    private let store = ScriptedOrigin { peer in
        if let refusal = keys.refusal(of: peer.head) {
            return peer.answer("403 Forbidden", body: "<Error><Code>\(refusal)</Code></Error>".utf8)
        }
        switch peer.target {
        case "/media/a%20b.png":
            if peer.has("If-None-Match: \"1\"") { return peer.answer("304 Not Modified") }
            peer.picture(picture, maxAge: 0, fields: ["ETag: \"1\""])
        case "/media/closed":
            peer.answer(
                "403 Forbidden", body: "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>".utf8)
        default:
            peer.answer("404 Not Found", body: "<Error><Code>NoSuchKey</Code></Error>".utf8)
        }
    }

    private func flags(_ more: String...) -> [String] {
        [
            "--s3-endpoint", "http://127.0.0.1:\(store.port)", "--s3-buckets", "media", "--s3-access-key",
            Self.keys.accessKey, "--origin-aliases", "pics=s3://media/", "--origin-allow-private", "false",
        ] + more
    }

    private func daemon(
        _ more: String..., environment: [String: String] = secrets
    ) throws -> DaemonUnderTest {
        try DaemonUnderTest(flags() + more, environment: environment)
    }

    private func ask(_ daemon: DaemonUnderTest, _ source: String) throws -> Connection.Reply {
        try daemon.get(DaemonUnderTest.target(source, "w=30"))
    }

    @Test func `an object is a picture, and its next request is conditional`() throws {
        let daemon = try daemon("--cache-stale-while-revalidate", "0s")
        let first = try ask(daemon, "s3://media/a b.png")
        #expect(first.status == 200, "\(first.text)")
        let second = try ask(daemon, "s3://media/a%20b.png")
        #expect(second["ETag"] == first["ETag"] && second["Cache-Status"]?.contains("fwd-status=304") == true)
        #expect(store.heads.count == 2)
    }

    @Test(arguments: [("s3://media/", 1), ("s3://media/other/", 2)])
    func `a profile says for how long objects are kept`(place: String, requests: Int) throws {
        let file = folder.path + "/origins.yaml"
        try "bucket:\n  match: \(place)\n  cache-control: max-age=3600\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let daemon = try daemon("--cache-stale-while-revalidate", "0s", "--origin-profiles", file)
        for _ in 1...2 { #expect(try ask(daemon, "s3://media/a b.png").status == 200) }
        #expect(store.heads.count == requests)
        let explained = try daemon.admin("/admin/explain?url=s3%3A%2F%2Fmedia%2Fa%2520b.png&w=30").text
        #expect(explained.contains("\"name\":\"bucket\"") == (requests == 1), "\(explained)")
    }

    @Test func `a profile for objects has nothing that their store would not get`() throws {
        let file = folder.path + "/origins.yaml"
        try "bucket:\n  match: [s3://media/]\n  bearer: abc\n  cache-control: max-age=60\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let check = try PictorCommand(["check", "--origin-profiles", file])
        #expect(check.status == 78 && check.error.contains("bucket: a profile for s3://"), "\(check.error)")
    }

    @Test func `an alias is another name of the same original`() throws {
        let daemon = try daemon()
        #expect(try ask(daemon, "pics/a b.png").status == 200)
        #expect(try ask(daemon, "https://pics/a%20b.png").status == 200)
        let report = try daemon.admin(
            DaemonUnderTest.target("pics/a b.png").replacing("/img", with: "/admin/explain"))
        #expect(report.text.contains("s3://media/a%20b.png"), "\(report.text)")
        #expect(try ask(daemon, "pics/a b.png?v=2").text.contains("has no query"))
        #expect(try ask(daemon, "pics:8080/a").text.contains("source_refused"))
    }

    @Test(arguments: [
        ("s3://media/none.png", 404, "origin_status", "NoSuchKey"),
        ("s3://media/closed", 502, "The origin answered 403", "AccessDenied: No."),
    ])
    func `the store's errors are statuses for clients and words for the log`(
        source: String, status: Int, answer: String, log: String
    ) throws {
        let daemon = try daemon()
        let reply = try ask(daemon, source)
        #expect(reply.status == status && reply.text.contains(answer), "\(reply.text)")
        #expect(!reply.text.contains("AccessDenied"))
        #expect(daemon.logLine(with: "no picture was fetched", source, log) != nil)
    }

    @Test(arguments: [
        ("403 Forbidden", "RequestTimeTooSkewed", true), ("400 Bad Request", "ExpiredToken", true),
        ("403 Forbidden", "AccessDenied", false),
    ])
    func `what is held outlives a store that refuses the key, and not one that refuses the object`(
        status: String, code: String, isKept: Bool
    ) throws {
        let refuses = Mutex(false)
        let store = ScriptedOrigin { peer in
            if refuses.withLock({ $0 }) {
                return peer.answer(status, body: "<Error><Code>\(code)</Code></Error>".utf8)
            }
            if peer.has("If-None-Match: \"1\"") { return peer.answer("304 Not Modified") }
            let fields = ["Cache-Control: max-age=60, stale-if-error=3600", "Age: 100", "ETag: \"1\""]
            peer.answer(fields: ["Content-Type: image/png"] + fields, body: Self.picture)
        }
        let daemon = try DaemonUnderTest(
            [
                "--s3-endpoint", "http://127.0.0.1:\(store.port)", "--s3-buckets", "media",
                "--s3-access-key", Self.keys.accessKey, "--negative-unreachable", "0s",
                "--negative-client-error", "0s", "--cache-stale-while-revalidate", "0s",
            ], environment: Self.secrets)
        #expect(try ask(daemon, "s3://media/a.png").status == 200)
        refuses.withLock { $0 = true }
        let stale = try ask(daemon, "s3://media/a.png")
        #expect(stale.status == (isKept ? 200 : 502), "\(stale.text)")
        #expect((stale["Cache-Status"]?.hasSuffix("detail=stale") ?? false) == isKept)
        let other = try ask(daemon, "s3://media/b.png")
        #expect(other.status == 502 && other.text.contains("origin_status"), "\(other.text)")
        #expect(daemon.logLine(with: "no picture was fetched", "s3://media/b.png", code) != nil)
        refuses.withLock { $0 = false }
        let after = try ask(daemon, "s3://media/a.png")
        #expect(after.status == 200 && store.heads.count == 4)
        #expect((after["Cache-Status"]?.contains("fwd-status=304") ?? false) == isKept)
    }

    @Test(arguments: ["s3://other/a.png", "s3://media.evil/a.png"])
    func `a bucket that is not named is refused`(source: String) throws {
        #expect(try ask(try daemon(), source).text.contains("source_refused"))
        #expect(store.heads.isEmpty)
    }

    @Test func `the address of the store is open to nothing else`() throws {
        let reply = try ask(try daemon(), "http://127.0.0.1:\(store.port)/media/a%20b.png")
        #expect(reply.text.contains("source_refused"))
        #expect(store.heads.isEmpty)
    }

    @Test func `keys come from the environment by the names of Amazon's tools`() throws {
        let daemon = try DaemonUnderTest(
            ["--s3-endpoint", "http://127.0.0.1:\(store.port)", "--s3-buckets", "media"],
            environment: [
                "AWS_ACCESS_KEY_ID": Self.keys.accessKey, "AWS_SECRET_ACCESS_KEY": Self.keys.secret,
                "AWS_SESSION_TOKEN": "a-token",
            ])
        #expect(try ask(daemon, "s3://media/a b.png").status == 200)
        #expect(store.heads[0].contains("x-amz-security-token: a-token"))
    }

    @Test func `no secret and no signature is told anywhere`() throws {
        let daemon = try daemon("--log-level", "trace")
        for source in ["s3://media/a b.png", "s3://media/none", "s3://media/closed"] {
            _ = try ask(daemon, source)
            _ = try daemon.admin(DaemonUnderTest.target(source).replacing("/img", with: "/admin/explain"))
        }
        #expect(daemon.logLine(with: "s3://media/closed") != nil)
        let told = (daemon.log + [try daemon.admin("/metrics").text, try daemon.admin("/admin/stats").text])
            .joined(separator: "\n")
        for secret in [Self.keys.secret, "AWS4-HMAC", "Signature="] { #expect(!told.contains(secret)) }
    }

    @Test func `check names what is wrong, and tries each bucket`() throws {
        let folder = TemporaryFolder()
        func check(_ flags: [String], _ environment: [String: String] = Self.secrets) throws -> PictorCommand
        {
            try PictorCommand.check(flags, cache: folder.path, environment: environment)
        }
        #expect(try check(flags()).status == 0)
        let half = try check(flags(), [:])
        #expect(half.status == 78 && half.error.contains("s3.secret-key is not"), "\(half.error)")
        for (flag, wrong) in [
            ("--s3-endpoint", "store.example"), ("--s3-buckets", "Media"), ("--s3-style", "both"),
            ("--s3-region", "a b"), ("--origin-aliases", "pics=media"),
            ("--origin-aliases", "a.b=s3://media"), ("--origin-aliases", "pics=ftp://a"),
            ("--s3-buckets", ""), ("--s3-style", "host"),
        ] {
            #expect(try check(flags().with(flag, wrong)).status == 78, "\(flag) \(wrong)")
        }
        #expect(try check(flags("--online")).error.contains("The bucket media of"))
        let wrong = try check(flags("--online"), ["PICTOR_S3_SECRET_KEY": "another"])
        #expect(wrong.status == 1 && wrong.error.contains("SignatureDoesNotMatch"), "\(wrong.error)")
    }
}
