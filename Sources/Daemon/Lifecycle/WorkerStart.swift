// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import Logging
internal import Monitoring
internal import Settings

/// The start of the worker processes. A command passes no logger, because it reports each picture itself.
extension Settings {
    func startDecoders(
        of zygote: Zygote, logger: Logger? = nil
    ) async throws(StartupFailure) -> (pool: DecoderPool, engine: EngineInForce) {
        let engine = EngineInForce()
        do throws(DecoderFailure) {
            let (pool, handshake) = try await DecoderPool.start(poolSettings, of: zygote) { event in
                if let logger { event.log(to: logger) }
                if case .engineChanged(_, let name) = event { engine.become(name) }
            }
            if let logger { handshake.logJail(of: "decoder", to: logger) }
            engine.begin(with: handshake.engine)
            return (pool, engine)
        } catch {
            throw StartupFailure(starting: "decoder", error)
        }
    }

    func startInspectors(
        of zygote: Zygote, logger: Logger? = nil
    ) async throws(StartupFailure) -> InspectorPool {
        do throws(DecoderFailure) {
            let (pool, handshake) = try await InspectorPool.start(inspectorSettings, of: zygote) { event in
                if let logger { event.log(of: "inspector", to: logger) }
            }
            if let logger { handshake.logJail(of: "inspector", to: logger) }
            return pool
        } catch {
            throw StartupFailure(starting: "inspector", error)
        }
    }
}
