import type { Content } from '../operations/operation.ts'
import type { Exchange } from './write-answer.ts'

/**
 * The bytes of the response, if they are in memory and nothing is left to read of the request: then they are sent with the headers in one
 * write. Undefined otherwise.
 */
export function bytesInMemory({ request, wire }: Exchange, { opened, range, length }: Content): Uint8Array | undefined {
  const { bytes } = opened
  if (bytes === undefined || request.method === 'HEAD' || wire.awaitsContinue || wire.unreadBytes > 0) return undefined
  const wanted = range ? bytes.subarray(range.start, range.end + 1) : bytes
  if (wanted.length !== length) throw new Error(`storage returned ${wanted.length} bytes, expected ${length}`)
  return wanted
}
