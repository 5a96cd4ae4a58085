// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool

/// What of the decoders' jail this machine permits, found by starting a decoder.
package enum JailProbe {
    /// A line for people.
    package static func report(_ settings: Settings) async -> String {
        var pool = settings.poolSettings
        (pool.processes, pool.spares) = (1, 0)
        do throws(DecoderFailure) {
            let (decoders, hello) = try await DecoderPool.start(pool)
            await decoders.shutDown()
            return line(hello)
        } catch .unavailable(let words) {
            return "decoder.jail: no decoder can be started: \(words)"
        } catch {
            return "decoder.jail: no decoder can be started: \(error)"
        }
    }

    private static func line(_ hello: WireHello) -> String {
        let missing = hello.jailLacks.isEmpty ? "nothing" : hello.jailLacks.joined(separator: ", ")
        return "decoder.jail: holds \(hello.jail.joined(separator: ", ")); lacks \(missing)"
    }
}
