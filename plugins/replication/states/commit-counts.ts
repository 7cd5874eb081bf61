/** Copies that landed on chain since the start, and their bytes. */
export class CommitCounts {
  copies = 0
  bytes = 0

  add(copies: number, bytes: number): void {
    this.copies += copies
    this.bytes += bytes
  }
}
