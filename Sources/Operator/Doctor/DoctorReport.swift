// SPDX-License-Identifier: Apache-2.0

internal import JSON

/// All findings of `pictor doctor`, for people and for programs.
package struct DoctorReport: Sendable {
    /// The findings in the order in which they are shown.
    package let findings: [Diagnosis.Finding]
    /// The daemon's JSON about the URL; nil if the command names no URL.
    package let explanation: String?

    package init(_ findings: [Diagnosis.Finding], explanation: String?) {
        (self.findings, self.explanation) = (findings, explanation)
    }

    /// True if nothing needs attention.
    package var isGood: Bool { !findings.contains(where: \.isWrong) }

    /// One line for each finding; those that are wrong are marked.
    package var text: String {
        findings.map { ($0.isWrong ? "WRONG  " : "       ") + $0.words + "\n" }.joined() + (explanation ?? "")
    }

    /// One object on one line. The explanation's line feeds can be removed, because JSON has line feeds only between its tokens.
    package var json: String {
        let list = findings.map {
            JSONText.object([("wrong", .flag($0.isWrong)), ("message", .text($0.words))])
        }
        let last = explanation.map { $0.filter { !$0.isNewline } } ?? ""
        return "{\"good\":\(isGood),\"findings\":[\(list.joined(separator: ","))]"
            + (last.isEmpty ? "" : ",\"explanation\":\(last)") + "}"
    }
}
