// SPDX-License-Identifier: Apache-2.0

internal import JSON

/// All that `pictor doctor` found, for people and for programs.
package struct DoctorReport: Sendable {
    /// In the order in which they are told.
    package let findings: [Diagnosis.Finding]
    /// The daemon's JSON on the URL; nil if none was asked about.
    package let explanation: String?

    package init(_ findings: [Diagnosis.Finding], explanation: String?) {
        (self.findings, self.explanation) = (findings, explanation)
    }

    /// True if nothing needs somebody.
    package var isGood: Bool { !findings.contains(where: \.isWrong) }

    /// Lines; what is wrong stands out.
    package var text: String {
        findings.map { ($0.isWrong ? "WRONG  " : "       ") + $0.words + "\n" }.joined() + (explanation ?? "")
    }

    /// One object on one line. JSON has line feeds between its tokens only.
    package var json: String {
        let list = findings.map {
            JSONText.object([("wrong", .flag($0.isWrong)), ("message", .text($0.words))])
        }
        let last = explanation.map { $0.filter { !$0.isNewline } } ?? ""
        return "{\"good\":\(isGood),\"findings\":[\(list.joined(separator: ","))]"
            + (last.isEmpty ? "" : ",\"explanation\":\(last)") + "}"
    }
}
