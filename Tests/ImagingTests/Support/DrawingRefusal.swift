// SPDX-License-Identifier: Apache-2.0

@testable import Imaging

/// The words with which a drawing is refused; nil for one that is accepted.
func refusal(ofDrawing file: String) -> String? {
    func read() throws { _ = try Array(file.utf8).withUnsafeBytes { try CleanDrawing.of($0) } }
    do {
        try read()
        return nil
    } catch { return (error as? CleanDrawing.Refusal)?.words }
}
