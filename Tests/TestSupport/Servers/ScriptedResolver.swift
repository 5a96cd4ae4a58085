// SPDX-License-Identifier: Apache-2.0
//
// The C library's resolver asks the servers that resolv.conf(5) names, at port 53 and no other. So this one listens there,
// on an address of its own in 127.0.0.0/8, and the process under test gets a mount namespace with a file of ours in
// place of /etc/resolv.conf. Both take root.

internal import Foundation
internal import Glibc
internal import Synchronization

/// A name server (RFC 1035) that answers what a test tells it, over UDP.
///
/// **Isolation:** a `Mutex`.
package final class ScriptedResolver: Sendable {
    /// The addresses of a name when it is looked up for the `turn`-th time, from 1; nil: there is no such name.
    package typealias Script = @Sendable (_ name: String, _ turn: Int) -> [String]?

    /// The addresses of a name whose server does not answer.
    package static let silence = ["silence"]

    private struct State {
        var names: [String] = []
        var turns: [String: Int] = [:]
    }

    private static let address = "127.53.0.\(Int.random(in: 2...250))"
    private static let free = Mutex(Array((1...250).map { "127.53.\($0).53" }.reversed()))

    private let socket: Int32
    private let folder = TemporaryFolder()
    private let state = Mutex(State())

    /// Whether this machine lets us: tests that need it say so.
    package static let isPossible: Bool = {
        guard let socket = bound(to: address) else { return false }
        close(socket)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["--mount", "/bin/sh", "-c", "mount --bind /etc/hosts /etc/resolv.conf"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    package init(search: String = "", _ script: @escaping Script) throws {
        var found: (Int32, String)?
        while found == nil, let address = Self.free.withLock({ $0.popLast() }) {
            found = Self.bound(to: address).map { ($0, address) }
        }
        guard let (socket, address) = found else {
            throw Connection.Failure(description: "no port 53 is free on loopback")
        }
        self.socket = socket
        let lines =
            "nameserver \(address)\noptions timeout:5\n" + (search.isEmpty ? "" : "search \(search)\n")
        try lines.write(toFile: folder.path + "/resolv.conf", atomically: false, encoding: .utf8)
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                var peer = sockaddr_storage()
                var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let count = withUnsafeMutableBytes(of: &peer) {
                    recvfrom(
                        socket, &buffer, buffer.count, 0,
                        $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
                }
                guard count > 0, let self else { break }
                guard let reply = self.reply(to: Array(buffer[..<count]), script) else { continue }
                withUnsafeBytes(of: peer) {
                    _ = sendto(
                        socket, reply, reply.count, 0,
                        $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
                }
            }
            close(socket)
        }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Every name that was asked for, once for each look-up.
    package var names: [String] { state.withLock { $0.names } }

    /// The command as it has to be run to ask this server.
    func wrapping(_ command: [String]) -> [String] {
        let script = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, folder.path + "/resolv.conf"]
            + command
    }

    private static func bound(to address: String) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        let result = withUnsafeBytes(of: name) { bytes in
            bind(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if result == 0 { return socket }
        close(socket)
        return nil
    }

    // MARK: RFC 1035 §4.1

    private func reply(to query: [UInt8], _ script: Script) -> [UInt8]? {
        var labels: [String] = []
        var index = 12
        while index < query.count, query[index] > 0 {
            let end = index + 1 + Int(query[index])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[(index + 1)..<end], as: UTF8.self))
            index = end
        }
        guard index + 5 <= query.count else { return nil }
        let name = labels.joined(separator: ".").lowercased()
        let wantsIPv6 = query[index + 2] == 28
        let answers = script(name, turn(of: name, isFirstHalf: !wantsIPv6))
        if answers == Self.silence { return nil }
        let records = (answers ?? []).compactMap { Self.record($0, isIPv6: wantsIPv6) }
        let header: [UInt8] =
            Array(query[..<2]) + [
                0x81, answers == nil ? 0x83 : 0x80, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0,
            ]
        return header + query[12..<(index + 5)] + records.flatMap { $0 }
    }

    /// A look-up asks twice, for IPv4 and then for IPv6.
    private func turn(of name: String, isFirstHalf: Bool) -> Int {
        state.withLock { state in
            if isFirstHalf {
                state.names.append(name)
                state.turns[name, default: 0] += 1
            }
            return max(1, state.turns[name] ?? 0)
        }
    }

    /// The question's name, type, class IN, good for no time at all, and the address.
    private static func record(_ address: String, isIPv6: Bool) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, address, &bytes) == 1 else { return nil }
        return [0xC0, 12, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, UInt8(bytes.count)] + bytes
    }
}
