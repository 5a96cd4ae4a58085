// SPDX-License-Identifier: Apache-2.0

/// The price of a job, set before it ran, and the peak of the decoder memory that it took, in bytes.
package struct JobMemory: Sendable, Hashable {
    /// The bytes for which the job was admitted.
    package var price: Int
    /// The peak above what the process held before. Mapped pages of the input files are not included, because they
    /// belong to the page cache, which frees them when memory is needed.
    package var peak: Int

    /// Price and peak in bytes.
    package init(price: Int, peak: Int) {
        self.price = price
        self.peak = peak
    }
}
