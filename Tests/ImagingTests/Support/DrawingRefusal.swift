// SPDX-License-Identifier: Apache-2.0

@testable import Imaging

/// Why a drawing is refused, in words; nil for one that is read.
func refusal(ofDrawing file: String) -> String? {
    func read() throws { _ = try Array(file.utf8).withUnsafeBytes { try CleanDrawing.of($0) } }
    do {
        try read()
        return nil
    } catch { return (error as? CleanDrawing.Refusal)?.words }
}
