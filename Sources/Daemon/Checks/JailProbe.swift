// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
package import Settings

/// Starts a decoder to find out which measures of the sandbox this machine permits.
package enum JailProbe {
    /// One line for people, and whether decoders can start.
    package static func report(_ settings: Settings) async -> (line: String, isUsable: Bool) {
        var pool = settings.poolSettings
        (pool.processes, pool.spares) = (1, 0)
        do throws(DecoderFailure) {
            let (decoders, handshake) = try await DecoderPool.start(pool, of: Zygote(settings.workerProgram))
            await decoders.shutDown()
            return (line(handshake), true)
        } catch .jailLacks(let measures) {
            return (settings.places.placed(StartupFailure.sentence(on: measures)), false)
        } catch .unavailable(let words) {
            return ("decoder.jail: no decoder can be started: \(words)", false)
        } catch {
            return ("decoder.jail: no decoder can be started: \(error)", false)
        }
    }

    /// Checks that the limit of open files leaves some for clients and that there are fonts if texts can be drawn, and lets an
    /// inspector read the pictures that the settings name: the watermarks and the fallback picture.
    /// - Throws: the first mistake.
    package static func inspect(_ settings: Settings) async throws {
        try OpenFiles(settings).check()
        try InstalledFonts.check(settings)
        guard !settings.options.watermarks.isEmpty || !settings.fallback.picture.isEmpty else { return }
        var pool = settings.inspectorSettings
        pool.processes = 1
        // Without inspectors the pictures cannot be checked; `report` has given the reason.
        guard let (inspectors, _) = try? await InspectorPool.start(pool, of: Zygote(settings.workerProgram))
        else { return }
        let mistake: UnusableSetting?
        do throws(UnusableSetting) {
            _ = try await settings.watermarks(inspectedBy: inspectors)
            _ = try await settings.fallbackPicture(inspectedBy: inspectors)
            mistake = nil
        } catch {
            mistake = error
        }
        await inspectors.shutDown()
        if let mistake { throw mistake }
    }

    private static func line(_ handshake: WireHandshake) -> String {
        let missing =
            handshake.jailMissing.isEmpty ? "nothing" : handshake.jailMissing.joined(separator: ", ")
        return "decoder.jail: holds \(handshake.jail.joined(separator: ", ")); lacks \(missing)"
    }
}
