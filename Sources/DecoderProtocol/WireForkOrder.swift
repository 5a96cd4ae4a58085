// SPDX-License-Identifier: Apache-2.0

/// Daemon → zygote: fork a worker. Its socket and its standard error are sent with the message.
package struct WireForkOrder: WireOrder, Hashable {
    package var kind: WorkerKind
    package var descriptorCount: Int { 2 }

    package init(_ kind: WorkerKind) { self.kind = kind }

    package var encoded: [UInt8] {
        var writer = WireWriter(.fork)
        writer.put(kind.rawValue)
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.fork, var reader)? = WireReader.open(message),
            let kind = reader.number(UInt8.self).flatMap(WorkerKind.init), reader.isAtEnd
        else { return nil }
        self.init(kind)
    }
}

/// Zygote → daemon, once for each `WireForkOrder`.
package struct WireForkReply: WireMessage, Hashable {
    /// The worker's process id. It is the zygote's own if the zygote cannot fork and becomes the worker itself; 0 if
    /// the kernel refuses another process.
    package var process: Int32
    /// The errno(3) of a refused fork; 0 if there is none.
    package var error: Int32

    package init(process: Int32, error: Int32 = 0) { (self.process, self.error) = (process, error) }

    package var encoded: [UInt8] {
        var writer = WireWriter(.forked)
        writer.put(Int(process), as: UInt32.self)
        writer.put(Int(error), as: UInt32.self)
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.forked, var reader)? = WireReader.open(message),
            let process = reader.integer(UInt32.self, in: 0...Int(Int32.max)),
            let error = reader.integer(UInt32.self, in: 0...Int(Int32.max)), reader.isAtEnd
        else { return nil }
        // Cannot trap: both were checked against that range.
        self.init(process: Int32(process), error: Int32(error))
    }
}

/// Daemon → worker, the first message: the daemon knows the process and holds its files in /proc, so the worker may
/// enter its jail.
package struct WireStart: WireMessage, Hashable {
    package init() {}

    package var encoded: [UInt8] { WireWriter(.go).bytes }

    package init?(_ message: [UInt8]) {
        guard case (.go, let reader)? = WireReader.open(message), reader.isAtEnd else { return nil }
    }
}
