// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import Kernel
internal import Synchronization

/// sd_notify(3): reports the daemon's state to the service manager, over the datagram socket in `$NOTIFY_SOCKET`.
///
/// A manager that does not read for a while holds nobody up: its socket is full after some messages, and those that follow wait for
/// room on a thread of their own. `ServiceMessages` bounds how many wait.
enum ServiceNotifier {
    /// The messages that the daemon sends.
    enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
        /// `ready` must follow.
        case reloading = "RELOADING=1"
    }

    /// Added to the time that is asked for, because the machine may be busy.
    private static let reserve = Duration.seconds(5)
    /// How long `flush` waits for a manager that does not read.
    private static let patience = DispatchTimeInterval.seconds(1)
    /// Sends the messages in their order.
    private static let sender = DispatchQueue(label: "pictor.service-manager")
    /// The messages that `sender` has not yet taken.
    private static let messages = Mutex(ServiceMessages())

    /// Sends the state. Does nothing if there is no service manager, or if it cannot be reached.
    static func tell(_ state: State) {
        // systemd compares this time with the time of its own reload order (sd_notify(3)).
        let moment =
            state == .reloading ? "\nMONOTONIC_USEC=\(pictor_monotonic_microseconds())" : ""
        send(state.rawValue + moment, of: state)
    }

    /// Waits until all messages are sent, but for a second at most. Call this before the process ends.
    static func flush() {
        let areSent = DispatchSemaphore(value: 0)
        sender.async {
            sendWaiting()
            areSent.signal()
        }
        _ = areSent.wait(timeout: .now() + patience)
    }

    /// Asks the service manager not to kill the daemon within this time, even if its own limit for a stop (`TimeoutStopSec=`)
    /// passes. A longer limit stays in force. Call this once the service manager knows of the stop.
    static func extend(by time: Duration) {
        send("EXTEND_TIMEOUT_USEC=\((time + reserve).wholeMicroseconds)")
    }

    /// - Parameter state: the state that the message tells; nil for any other message.
    private static func send(_ message: String, of state: State? = nil) {
        guard manager != nil else { return }
        guard messages.withLock({ $0.add(message, of: state) }) else { return }
        sender.async { sendWaiting() }
    }

    private static func sendWaiting() {
        guard let name = manager else { return }
        while let message = messages.withLock({ $0.next() }) { send(message, to: name) }
    }

    /// The socket of the service manager; nil if there is none.
    private static var manager: UnixSocketName? {
        getenv("NOTIFY_SOCKET").flatMap { UnixSocketName(notifySocket: String(cString: $0)) }
    }

    /// Waits for as long as the socket is full.
    private static func send(_ message: String, to name: UnixSocketName) {
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let bytes = Array(message.utf8)
        _ = name.withAddress { sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
    }
}
