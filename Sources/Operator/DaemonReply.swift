// SPDX-License-Identifier: Apache-2.0

internal import Endpoints

extension DaemonClient.Reply {
    private struct Refusal: Decodable { let message: String }

    /// Decodes the report in an answer with a status 2xx.
    /// - Throws: the message of a refusal, as a sentence for people.
    func report<Report: Decodable>() throws -> Report {
        try check()
        guard let report = ControlJSON.read(Report.self, from: body.utf8) else {
            throw CommandFailure("The daemon's answer is not understood; is it of another version?")
        }
        return report
    }

    /// - Throws: the message of a refusal.
    func check() throws {
        guard !(200..<300).contains(status) else { return }
        let refusal = ControlJSON.read(Refusal.self, from: body.utf8)
        throw CommandFailure(refusal?.message ?? "The daemon answered \(status).")
    }
}
