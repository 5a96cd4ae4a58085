// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// sd_notify(3): reports the daemon's state to the service manager, over the datagram socket in
/// `$NOTIFY_SOCKET`.
package enum ServiceNotifier {
    /// The messages that the daemon sends.
    package enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
        /// Followed by `ready`.
        case reloading = "RELOADING=1"
    }

    /// Beside the time that is asked for: the machine may be busy.
    private static let reserve = Duration.seconds(5)

    /// Sends the state; does nothing without a service manager, or with one that cannot be reached.
    package static func tell(_ state: State) {
        // systemd compares it with the time of its own order (sd_notify(3)).
        let moment =
            state == .reloading ? "\nMONOTONIC_USEC=\(pictor_monotonic_microseconds())" : ""
        send(state.rawValue + moment)
    }

    /// Asks for so much time from now on: the service manager does not kill the daemon before, although the time is over that it
    /// gives to a stop. If it gives more, that stays. To be called once it knows of the stop.
    static func extend(by time: Duration) {
        send("EXTEND_TIMEOUT_USEC=\((time + reserve).wholeMicroseconds)")
    }

    private static func send(_ text: String) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), path.count > 1 else { return }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
        // "@" names the abstract namespace, whose names start with a zero byte (unix(7)).
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)

        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let message = Array(text.utf8)
        _ = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
    }
}
