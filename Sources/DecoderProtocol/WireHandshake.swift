// SPDX-License-Identifier: Apache-2.0

/// Worker → daemon, once: the worker can take jobs, or never will.
package struct WireHandshake: WireMessage, Hashable {
    /// The engine's name: its libraries and their versions, which are a part of every rendition's key.
    package var engine: String
    /// The process id. The daemon refuses a handshake that names another process than the one it started.
    package var process: Int32
    /// Names of the jail's measures that are in force.
    package var jail: [String]
    /// Names of the measures that the kernel refused, without optional ones.
    package var jailMissing: [String]
    /// Names of missing measures that the daemon requires; with any of them missing, the process takes no
    /// job.
    package var jailLacks: [String]

    /// Lists of names are cut to `Wire.longestList` entries when they are encoded.
    package init(
        engine: String, process: Int32, jail: [String], jailMissing: [String] = [], jailLacks: [String] = []
    ) {
        self.engine = engine
        self.process = process
        self.jail = jail
        self.jailMissing = jailMissing
        self.jailLacks = jailLacks
    }

    package var encoded: [UInt8] {
        var writer = WireWriter(.handshake)
        writer.put(engine, limit: Wire.longestEngine)
        writer.put(Int(process), as: UInt32.self)
        for list in [jail, jailMissing, jailLacks] {
            let names = list.prefix(Wire.longestList)
            // Cannot trap: `longestList` is less than 256.
            writer.put(UInt8(names.count))
            for name in names { writer.put(name, limit: Wire.longestName) }
        }
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.handshake, var reader)? = WireReader.open(message),
            let engine = reader.text(limit: Wire.longestEngine), !engine.isEmpty,
            let process = reader.integer(UInt32.self, in: 1...Int(Int32.max)),
            let jail = reader.names(), let jailMissing = reader.names(), let jailLacks = reader.names(),
            reader.isAtEnd
        else { return nil }
        self.init(
            // Cannot trap: the number was checked against that range.
            engine: engine, process: Int32(process), jail: jail, jailMissing: jailMissing,
            jailLacks: jailLacks)
    }
}

extension WireReader {
    fileprivate mutating func names() -> [String]? {
        guard let count = integer(UInt8.self, in: 0...Wire.longestList) else { return nil }
        var names: [String] = []
        for _ in 0..<count {
            guard let name = text(limit: Wire.longestName) else { return nil }
            names.append(name)
        }
        return names
    }
}
