// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// A bucket that speaks as much of S3 as a shared store uses, checks each signature and each body, and can be ill.
///
/// **Isolation:** a `Mutex`.
package final class StoreDouble: Sendable {
    package enum Behaviour: Sendable, CaseIterable {
        case well
        /// Every request is a 503.
        case refusing
        /// No request is answered.
        case hanging
        /// The middle byte of each object is another.
        case lying
        /// Each object is half of itself, and says so.
        case truncated
        /// Each object ends in the middle, with its connection.
        case cutShort
        /// Each object is another one.
        case swapped
        /// Nothing is taken.
        case full
        /// Nothing is deleted.
        case keeping
        /// The key may not list the bucket, nor learn what is missing there.
        case unlisted
    }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var behaviour = Behaviour.well
        var requests: [String] = []
        var refusals: [String] = []
        var reading: Latch?
        var hanging: String?
    }

    package static let keys = ReferenceSignature(
        accessKey: "AKIDEXAMPLE", secret: "a-secret-that-nobody-prints")
    package static let bucket = "shared"

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared: Shared
    private let origin: ScriptedOrigin

    package init() {
        let shared = Shared()
        self.shared = shared
        origin = ScriptedOrigin { Self.answer($0, shared) }
    }

    package var port: UInt16 { origin.port }
    package var endpoint: String { "http://127.0.0.1:\(origin.port)" }

    package var behaviour: Behaviour {
        get { shared.state.withLock { $0.behaviour } }
        set { shared.state.withLock { $0.behaviour = newValue } }
    }

    /// Reads are answered once it was signalled, with what was there when they came; nil: at once.
    package var reading: Latch? {
        get { shared.state.withLock { $0.reading } }
        set { shared.state.withLock { $0.reading = newValue } }
    }

    /// Objects whose names begin so are not given; nil: all are.
    package var hanging: String? {
        get { shared.state.withLock { $0.hanging } }
        set { shared.state.withLock { $0.hanging = newValue } }
    }

    /// By their names below the bucket.
    package var objects: [String: [UInt8]] {
        get { shared.state.withLock { $0.objects } }
        set { shared.state.withLock { $0.objects = newValue } }
    }

    /// Method and name of each request, in the order of their arrival.
    package var requests: [String] { shared.state.withLock { $0.requests } }
    /// Why requests were refused although the store was well.
    package var refusals: [String] { shared.state.withLock { $0.refusals } }

    /// The settings of a daemon that shares it, and waits for it: a machine that does more beside it may be slow.
    package var flags: [String] {
        hedgingFlags + [
            "--shared-store-hedge", "false", "--shared-store-first-byte-timeout", "30s",
            "--shared-store-timeout", "30s",
        ]
    }

    /// The flags of a daemon that asks its origins as well where the store is late.
    package var hedgingFlags: [String] {
        [
            "--shared-store-endpoint", endpoint, "--shared-store-bucket", Self.bucket,
            "--shared-store-access-key", Self.keys.accessKey,
        ]
    }

    package static let secrets = ["PICTOR_SHARED_STORE_SECRET_KEY": keys.secret]

    private static func answer(_ peer: Peer, _ shared: Shared) {
        let method = String(peer.head.prefix { $0 != " " })
        let start = "/\(bucket)/"
        guard peer.target.hasPrefix(start) else {
            return peer.answer("404 Not Found", body: "<Error><Code>NoSuchBucket</Code></Error>".utf8)
        }
        let name = String(peer.target.dropFirst(start.count))
        let behaviour = shared.state.withLock { state in
            state.requests.append("\(method) \(name)")
            return state.behaviour
        }
        func refuse(_ status: String, _ code: String) {
            peer.answer(status, body: "<Error><Code>\(code)</Code><Message>No.</Message></Error>".utf8)
        }
        switch behaviour {
        case .refusing: return refuse("503 Slow Down", "SlowDown")
        case .hanging: return peer.waitForHangup()
        default: break
        }
        let digest = ReferenceHash.hex(peer.body)
        let refusal =
            peer.has("x-amz-content-sha256: \(digest)")
            ? keys.refusal(of: peer.head) : "XAmzContentSHA256Mismatch"
        if let refusal {
            shared.state.withLock { $0.refusals.append(refusal) }
            return refuse("403 Forbidden", refusal)
        }
        switch method {
        case "PUT":
            if behaviour == .full { return refuse("507 Insufficient Storage", "QuotaExceeded") }
            shared.state.withLock { $0.objects[name] = peer.body }
            peer.answer()
        case "DELETE":
            if behaviour == .keeping { return refuse("403 Forbidden", "AccessDenied") }
            shared.state.withLock { $0.objects[name] = nil }
            peer.answer("204 No Content")
        case "GET" where name.hasPrefix("?"):
            if behaviour == .unlisted { return refuse("403 Forbidden", "AccessDenied") }
            list(name, peer, shared)
        case "GET": give(name, behaviour, peer, shared)
        default: refuse("405 Method Not Allowed", "MethodNotAllowed")
        }
    }

    private static func list(_ query: String, _ peer: Peer, _ shared: Shared) {
        func value(_ name: String) -> String {
            let pair = query.dropFirst().split(separator: "&").first { $0.hasPrefix("\(name)=") }
            return pair.map { String($0.dropFirst(name.count + 1)).replacing("%2F", with: "/") } ?? ""
        }
        let (prefix, last) = (value("prefix"), value("start-after"))
        let names = shared.state.withLock {
            $0.objects.keys.filter { $0.hasPrefix(prefix) && $0 > last }.sorted()
        }
        // Fewer than there may be, so that a second list is needed.
        let keys = names.prefix(2).map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        peer.answer(body: "<?xml version=\"1.0\"?><ListBucketResult>\(keys)</ListBucketResult>".utf8)
    }

    private static func give(_ name: String, _ behaviour: Behaviour, _ peer: Peer, _ shared: Shared) {
        let found: [UInt8]? = shared.state.withLock { state in
            guard behaviour == .swapped, state.objects[name] != nil else { return state.objects[name] }
            let kind = name.split(separator: "/").dropFirst().first
            return state.objects.first { other, _ in
                other != name && other.split(separator: "/").dropFirst().first == kind
            }?.value ?? state.objects.first { $0.key != name }?.value
        }
        let (reading, hanging) = shared.state.withLock { ($0.reading, $0.hanging) }
        if let hanging, name.hasPrefix(hanging) { return peer.waitForHangup() }
        reading?.wait()
        guard var bytes = found else {
            if behaviour == .unlisted {
                return peer.answer("403 Forbidden", body: "<Error><Code>AccessDenied</Code></Error>".utf8)
            }
            return peer.answer("404 Not Found", body: "<Error><Code>NoSuchKey</Code></Error>".utf8)
        }
        switch behaviour {
        case .lying: bytes[bytes.count / 2] ^= 0x40
        case .truncated: bytes = Array(bytes.prefix(bytes.count / 2))
        case .cutShort:
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            peer.send(bytes.prefix(bytes.count / 2))
            return peer.close()
        default: break
        }
        peer.answer(body: bytes)
    }
}
