// SPDX-License-Identifier: Apache-2.0

/// Decoder → daemon, once: it can take jobs.
package struct WireHello: Sendable, Hashable {
    /// The engine's name and version, which is a part of every rendition's key.
    package var engine: String
    package var process: Int32
    /// What of the jail holds, by name.
    package var jail: [String]
    /// What of it the kernel refused.
    package var jailLacks: [String]

    package init(engine: String, process: Int32, jail: [String], jailLacks: [String] = []) {
        self.engine = engine
        self.process = process
        self.jail = jail
        self.jailLacks = jailLacks
    }

    package var encoded: [UInt8] {
        var writer = WireWriter(.hello)
        writer.put(engine, limit: Wire.longestName)
        writer.put(Int(process), as: UInt32.self)
        for list in [jail, jailLacks] {
            let names = list.prefix(Wire.longestList)
            writer.put(UInt8(names.count))
            for name in names { writer.put(name, limit: Wire.longestName) }
        }
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.hello, var reader)? = WireReader.open(message),
            let engine = reader.text(limit: Wire.longestName), !engine.isEmpty,
            let process = reader.integer(UInt32.self, in: 1...Int(Int32.max)),
            let jail = reader.names(), let jailLacks = reader.names(),
            reader.isAtEnd
        else { return nil }
        self.init(engine: engine, process: Int32(process), jail: jail, jailLacks: jailLacks)
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
