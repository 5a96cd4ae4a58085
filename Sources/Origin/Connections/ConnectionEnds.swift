// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Glibc

/// The ports of both ends of a connection, and the peer's address.
struct ConnectionEnds: Equatable {
    let local: UInt16
    let remote: UInt16
    let address: IPAddress
}

extension ConnectionEnds {
    /// Asks the kernel; nil if the socket is not connected.
    init?(of descriptor: Int32) {
        func name(
            _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
        ) -> (IPAddress, UInt16)? {
            var storage = sockaddr_storage()
            return withUnsafeMutableBytes(of: &storage) { bytes in
                var size = socklen_t(bytes.count)
                guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress,
                    ask(descriptor, pointer, &size) == 0
                else { return nil }
                let bytes = UnsafeRawBufferPointer(bytes)
                return IPAddress(socketAddress: bytes).map { ($0, IPAddress.port(ofSocketAddress: bytes)) }
            }
        }
        guard let (_, local) = name(getsockname), let (address, remote) = name(getpeername) else {
            return nil
        }
        self.init(local: local, remote: remote, address: address)
    }
}
