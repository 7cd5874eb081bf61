/** Smaller pieces are rare in a large body, and may share their memory with others. */
const freedBytesMin = 16 * 1024

/** Frees the memory of a piece of a received body at once, instead of at a garbage collection: the piece is empty afterwards. */
export function freePiece({ buffer, length }: Buffer): void {
  if (length >= freedBytesMin && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
