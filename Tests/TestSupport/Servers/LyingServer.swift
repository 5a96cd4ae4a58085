// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// Takes connections and answers each piece that comes, by default with the same bytes, whatever is asked.
///
/// **Isolation:** a thread for each connection; immutable beside a flag.
package final class LyingServer: Sendable {
    private let listener: Int32
    package let port: UInt16
    private let isClosed = Atomic(false)

    package convenience init(_ answer: String) throws { try self.init { _ in answer } }

    /// - Parameter answer: gives the bytes for a piece, on the connection's thread, which may block.
    package init(answer: @escaping @Sendable (String) -> String) throws {
        listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(listener, raw, length) == 0 && getsockname(listener, raw, &length) == 0
            }
        }
        guard isBound, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let peer = accept(listener, nil, nil), peer >= 0 {
                if isClosed.load(ordering: .relaxed) {
                    Glibc.close(peer)
                    return
                }
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    while case let count = read(peer, &buffer, buffer.count), count > 0 {
                        let bytes = Array(answer(String(decoding: buffer[..<count], as: UTF8.self)).utf8)
                        if !bytes.isEmpty { _ = Glibc.send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
                    }
                    Glibc.close(peer)
                }
            }
        }
    }

    package var address: String { "redis://127.0.0.1:\(port)" }

    /// Takes no more connections.
    package func close() {
        isClosed.store(true, ordering: .relaxed)
        shutdown(listener, Int32(SHUT_RDWR))
    }
}
