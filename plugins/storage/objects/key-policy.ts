/** What a key may be. Dots, slashes and blanks are bytes like any other. */

export const keyBytesMax = 1024

/** What is wrong with the key, in words, or undefined. */
export function keyProblem(key: string): string | undefined {
  if (key.length === 0) return 'must not be empty'
  // The databases end texts at NUL or refuse them, and a listing resumes at key + U+0001.
  if (key.includes('\0')) return 'must not have a NUL character'
  if (!key.isWellFormed()) return 'must be valid Unicode'
  // A character takes at most three bytes for each of its UTF-16 units, so short keys need no count.
  if (key.length * 3 > keyBytesMax && Buffer.byteLength(key) > keyBytesMax) return `must have at most ${keyBytesMax} bytes`
  return undefined
}
