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

    private static func send(_ message: String) {
        guard let text = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }),
            let name = UnixSocketName(notifySocket: text)
        else { return }
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let bytes = Array(message.utf8)
        _ = name.withAddress { sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
    }
}
