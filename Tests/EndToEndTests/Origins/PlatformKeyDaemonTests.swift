// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A store's keys come from the platform, and are renewed before they end", .endToEnd)
struct PlatformKeyDaemonTests {
    private static let first = ReferenceSignature(accessKey: "ASIAFIRST", secret: "the-first-secret")
    private static let second = ReferenceSignature(accessKey: "ASIASECOND", secret: "the-second-secret")
    private static let picture = Pictures.gradient(60, 40)

    private let folder = TemporaryFolder()

    /// A metadata service; each set of keys is good for three seconds.
    private static func service(
        _ keys: @escaping @Sendable () -> ReferenceSignature?
    ) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            switch peer.target {
            case "/latest/api/token": return peer.answer(body: "session".utf8)
            case "/latest/meta-data/iam/security-credentials/": return peer.answer(body: "role".utf8)
            default: break
            }
            guard let given = keys(), peer.has("X-aws-ec2-metadata-token: session") else {
                return peer.answer("503 Service Unavailable", body: "".utf8)
            }
            let end = Date(timeIntervalSinceNow: 3).ISO8601Format()
            peer.answer(
                body:
                    #"{"AccessKeyId":"\#(given.accessKey)","SecretAccessKey":"\#(given.secret)","Token":"a-token","Expiration":"\#(end)"}"#
                    .utf8)
        }
    }

    /// Takes the keys that are good now.
    private static func store(_ good: @escaping @Sendable () -> ReferenceSignature) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            if let refusal = good().refusal(of: peer.head) {
                return peer.answer("403 Forbidden", body: "<Error><Code>\(refusal)</Code></Error>".utf8)
            }
            peer.picture(picture, maxAge: 0)
        }
    }

    private func daemon(_ store: ScriptedOrigin, _ service: ScriptedOrigin, _ more: String...) throws
        -> DaemonUnderTest
    {
        try DaemonUnderTest(
            [
                "--s3-endpoint", "http://127.0.0.1:\(store.port)", "--s3-buckets", "media",
                "--s3-keys-from-machine", "true", "--cache-maximum-lifetime", "0s",
                "--cache-stale-while-revalidate", "0s", "--cache-stale-if-error", "0s",
                "--negative-client-error", "0s", "--negative-server-error", "0s",
            ] + more,
            environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(service.port)"])
    }

    @Test func `the keys of now sign each request`() throws {
        let isSecond = Mutex(false)
        let keys: @Sendable () -> ReferenceSignature = {
            isSecond.withLock { $0 } ? Self.second : Self.first
        }
        let (store, service) = (Self.store(keys), Self.service(keys))
        let daemon = try daemon(store, service)
        let target = DaemonUnderTest.target("s3://media/a.png", "w=30")
        let reply = try daemon.get(target)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(store.heads[0].contains("x-amz-security-token: a-token"))
        isSecond.withLock { $0 = true }
        #expect(try Patience.until { try daemon.get(target).status == 200 })
        #expect(store.heads.last?.contains("Credential=ASIASECOND/") == true)
        let told = (daemon.log + [try daemon.admin("/metrics").text]).joined(separator: "\n")
        for secret in [Self.first.secret, Self.second.secret, "a-token", "session"] {
            #expect(!told.contains(secret))
        }
    }

    @Test func `a platform that gives none is told of once, and asked until it does`() throws {
        let isWell = Mutex(false)
        let (store, service) = (
            Self.store { Self.first }, Self.service { isWell.withLock { $0 } ? Self.first : nil }
        )
        let daemon = try daemon(store, service)
        let target = DaemonUnderTest.target("s3://media/a.png", "w=30")
        #expect(try daemon.get(target).status == 502)
        #expect(Patience.until { service.heads.count >= 6 }, "it is asked again")
        #expect(daemon.logs(1, with: "gives no keys"))
        isWell.withLock { $0 = true }
        #expect(try Patience.until { try daemon.get(target).status == 200 })
        #expect(daemon.logLine(with: "the platform gave keys") != nil)
    }

    @Test func `check tells of a bucket that had to be asked without a key`() throws {
        let (store, service) = (Self.store { Self.first }, Self.service { nil })
        let command = try PictorCommand(
            [
                "check", "--online", "--s3-endpoint", "http://127.0.0.1:\(store.port)",
                "--s3-buckets", "media",
                "--s3-keys-from-machine", "true", "--cache-directory", folder.path,
                "--server-listen", "127.0.0.1:0", "--admin-listen", "",
            ], environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(service.port)"])
        #expect(command.status == 1 && command.error.contains("(AccessDenied)"), "\(command.error)")
    }

    @Test func `without the setting no metadata service is asked`() throws {
        let (store, service) = (Self.store { Self.first }, Self.service { Self.first })
        let daemon = try daemon(store, service, "--s3-keys-from-machine", "false")
        #expect(try daemon.get(DaemonUnderTest.target("s3://media/a.png", "w=30")).status == 502)
        #expect(service.heads.isEmpty && store.heads.count == 1)
        #expect(store.heads.first?.lowercased().contains("authorization") == false)
    }

    @Test func `an agent that would be asked in the clear over a network ends the start`() throws {
        let command = try PictorCommand(
            [
                "check", "--s3-buckets", "media", "--cache-directory", TemporaryFolder().path,
                "--server-listen", "127.0.0.1:0", "--admin-listen", "",
            ], environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://keys.example/"])
        #expect(command.status == 78 && command.error.contains("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
    }
}
