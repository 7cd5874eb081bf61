/** Validity of object keys. Dots, slashes and spaces have no special meaning. */
import { keyBytesMax } from '../contract.ts'

/** Returns why a key is invalid, as the predicate of an error message, or undefined when it is valid. */
export function keyProblem(key: string): string | undefined {
  if (key.length === 0) return 'must not be empty'
  // SQLite functions end strings at NUL, and a listing resumes at key + U+0001.
  if (key.includes('\0')) return 'must not have a NUL character'
  if (!key.isWellFormed()) return 'must be valid Unicode'
  // A UTF-16 unit takes at most three bytes of UTF-8, so short keys need no count.
  if (key.length * 3 > keyBytesMax && Buffer.byteLength(key) > keyBytesMax) return `must have at most ${keyBytesMax} bytes`
  return undefined
}
