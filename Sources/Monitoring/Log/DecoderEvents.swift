// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import ImageHeaders
package import Logging
internal import RequestGrammar

extension WireHandshake {
    /// Logs the sandbox's measures, which are the same for all processes of a kind.
    package func logJail(of kind: String, to logger: Logger) {
        logger.info(
            "\(kind)s are jailed",
            metadata: [
                "holds": "\(jail.joined(separator: ","))", "missing": "\(jailMissing.joined(separator: ","))",
            ])
    }
}

extension DecoderEvent {
    /// - Parameter kind: what the log calls the process.
    package func log(of kind: String = "decoder", to logger: Logger) {
        switch self {
        case .started(let handshake):
            logger.info(
                "\(kind) started", metadata: ["pid": "\(handshake.process)", "engine": "\(handshake.engine)"])
        case .engineChanged(let former, let new):
            logger.notice(
                "\(kind)s have another engine, and make renditions anew",
                metadata: ["from": "\(former)", "to": "\(new)"])
        case .said(let process, let line):
            logger.warning("\(kind) says", metadata: ["pid": "\(process)", "line": "\(line)"])
        case .measured(let process, let memory, let header, let recipe):
            logger.debug(
                "\(kind) measured",
                metadata: [
                    "pid": "\(process)", "price": "\(memory.price)", "peak": "\(memory.peak)",
                    "original": "\(header.format.name) \(header.width)x\(header.height)",
                    "recipe": "\(recipe.canonical)",
                ])
        case .ended(let process, let end, let reason):
            let level: Logger.Level = reason == .shutDown || reason == .recycled ? .debug : .warning
            logger.log(
                level: level, "\(kind) ended",
                metadata: ["pid": "\(process)", "end": "\(end)", "reason": "\(reason.rawValue)"])
        case .cannotStart(let words, let pause):
            logger.error("no \(kind) can be started", metadata: ["why": "\(words)", "retry": "\(pause)"])
        }
    }
}
