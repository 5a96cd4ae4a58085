// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc
internal import Kernel

/// A listening socket, non-blocking. The server decides which loops accept from it.
///
/// **Isolation:** immutable; accept(2) may be called by several threads at once.
final class Listener: Sendable {
    let descriptor: OwnedDescriptor
    /// True if loops share the socket, so that each connection should wake only one of them (EPOLLEXCLUSIVE).
    let isShared: Bool
    /// The file of a Unix socket, which is removed when the server ends; nil for others.
    private let file: SocketFile?

    private init(_ descriptor: OwnedDescriptor, isShared: Bool, file: SocketFile? = nil) {
        self.descriptor = descriptor
        self.isShared = isShared
        self.file = file
    }

    deinit { file?.remove() }

    /// The most connections that wait for accept(2); the kernel caps it at net.core.somaxconn.
    private static let backlog: Int32 = 4096

    /// Bytes that the kernel takes beyond what a client's window lets it send (TCP_NOTSENT_LOWAT). Without this bound it takes up to
    /// net.ipv4.tcp_wmem, 4 MiB; two thousand clients that do not read then hold all the kernel's memory for TCP, and nobody gets an
    /// answer any more (see Benchmarks/loris.py).
    private static let unsentBytes: Int32 = 65_536

    /// One listener for each loop at a TCP address; otherwise one for all loops.
    static func open(_ address: ListenAddress, loops: Int) throws(ServerError) -> [Listener] {
        switch address {
        case .tcp(let host, let port): return try tcp(host, port, loops: loops)
        case .unix(let path): return [try unix(path)]
        case .inherited(let descriptor):
            guard option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
                option(SO_ACCEPTCONN, of: descriptor) == 1
            else { throw .uselessSocket(address.text) }
            let flags = fcntl(descriptor, F_GETFL)
            guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
            else { throw .cannotListen(address.text, .last("fcntl")) }
            var unsent = unsentBytes
            // Fails for a Unix socket, which needs no bound because its buffers are small.
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, 4)
            return [Listener(OwnedDescriptor(adopting: descriptor), isShared: true)]
        }
    }

    /// The value of an option of the socket (socket(7)); nil if the descriptor is no socket.
    private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }

    /// The address that it actually listens on: the address and port that the kernel chose, the path, or the given descriptor if that
    /// is no TCP socket.
    func address(asked: ListenAddress) -> ListenAddress {
        if case .unix = asked { return asked }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutableBytes(of: &storage) { bytes in
            getsockname(descriptor.raw, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        let name = PeerAddress(storage)
        guard result == 0, name != .local else { return asked }
        return .tcp(host: name.host, port: name.port)
    }

    // MARK: TCP

    private static func tcp(
        _ host: String, _ port: UInt16, loops: Int
    ) throws(ServerError) -> [Listener] {
        var listeners: [Listener] = []
        var port = port
        for index in 0..<loops {
            let listener = try tcp(host, port, isFirst: index == 0)
            listeners.append(listener)
            if case .tcp(_, let bound) = listener.address(asked: .tcp(host: host, port: port)) {
                port = bound
            }
        }
        return listeners
    }

    /// The first socket of an address binds without SO_REUSEPORT, and sets it only afterwards. Otherwise a second daemon of the same
    /// user would get half of the first one's connections, and no error.
    private static func tcp(
        _ host: String, _ port: UInt16, isFirst: Bool
    ) throws(ServerError) -> Listener {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &found)
        guard result == 0, let found else {
            throw .badAddress(host, reason: String(cString: gai_strerror(result)))
        }
        defer { freeaddrinfo(found) }
        let name = ListenAddress.tcp(host: host, port: port).text
        let descriptor = try socket(found.pointee.ai_family, name)
        func set(_ level: Int32, _ option: Int32, _ value: Int32 = 1) throws(ServerError) {
            var value = value
            guard setsockopt(descriptor.raw, level, option, &value, 4) == 0 else {
                throw .cannotListen(name, .last("setsockopt"))
            }
        }
        try set(SOL_SOCKET, SO_REUSEADDR)
        // Accepted sockets inherit these two options, which saves two calls for each connection.
        try set(Int32(IPPROTO_TCP), TCP_NODELAY)
        try set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytes)
        if !isFirst { try set(SOL_SOCKET, SO_REUSEPORT) }
        guard pictor_bind(descriptor.raw, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
            throw .cannotListen(name, .last("bind"))
        }
        if isFirst { try set(SOL_SOCKET, SO_REUSEPORT) }
        try listen(descriptor, name)
        return Listener(descriptor, isShared: false)
    }

    // MARK: Unix

    private static func unix(_ path: String) throws(ServerError) -> Listener {
        guard let name = UnixSocketName(path: path) else {
            throw .badAddress(path, reason: "a socket's path has \(UnixSocketName.rule)")
        }
        // Only a socket is removed, so that a mistyped path deletes no other file, and only one without a listening process, so that
        // a second daemon does not take the address of a running one.
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK {
            guard try isAbandoned(name, path) else {
                throw .cannotListen(path, SystemError("bind", code: EADDRINUSE))
            }
            unlink(path)
        }
        let descriptor = try socket(AF_UNIX, path)
        guard name.withAddress({ pictor_bind(descriptor.raw, $0, $1) }) == 0 else {
            throw .cannotListen(path, .last("bind"))
        }
        let file = SocketFile(path)
        try listen(descriptor, path)
        return Listener(descriptor, isShared: true, file: file)
    }

    /// True if no process listens at the socket any more. A listening process sees a connection open and close.
    private static func isAbandoned(_ name: UnixSocketName, _ path: String) throws(ServerError) -> Bool {
        let trial = try socket(AF_UNIX, path)
        let code = withExtendedLifetime(trial) {
            name.withAddress { Glibc.connect(trial.raw, $0, $1) == 0 ? 0 : errno }
        }
        return code == ECONNREFUSED || code == ENOENT
    }

    private static func socket(_ family: Int32, _ name: String) throws(ServerError) -> OwnedDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = Glibc.socket(family, type, 0)
        guard raw >= 0 else { throw .cannotListen(name, .last("socket")) }
        return OwnedDescriptor(adopting: raw)
    }

    private static func listen(_ descriptor: OwnedDescriptor, _ name: String) throws(ServerError) {
        guard Glibc.listen(descriptor.raw, backlog) == 0 else { throw .cannotListen(name, .last("listen")) }
    }
}
