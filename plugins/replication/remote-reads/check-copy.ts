import { freePiece } from '#plugins/storage'
import type { CopyCheck, RemoteCopy } from '../contract.ts'
import { pieceCidOf } from '../pieces/piece-cid.ts'
import { createPieceHasher } from '../pieces/piece-hasher.ts'
import { watchRate } from './minimum-rate.ts'
import { askCopy } from './open-copy.ts'
import type { CopyDeps } from './try-copy.ts'

/** Reads the whole piece from its provider and compares its piece CID while it streams. Rejects when the signal aborts. */
export async function checkCopy(
  { providers, limits }: Pick<CopyDeps, 'providers' | 'limits'>,
  copy: RemoteCopy,
  signal: AbortSignal,
): Promise<CopyCheck> {
  const tooSlow = new AbortController()
  using rate = watchRate(limits, (error) => tooSlow.abort(error))
  let bytes = 0
  try {
    const answer = await askCopy(providers.client(copy.serviceUrl), copy.pieceCid, { signal: AbortSignal.any([signal, tooSlow.signal]) })
    if (answer.kind !== 'ok') {
      const { reason, detail } = answer.cause
      signal.throwIfAborted()
      return { result: reason === 'not_found' ? 'missing' : 'unreachable', bytes, message: `${reason}: ${detail}` }
    }
    const { stream, length } = answer.value
    if (length !== undefined && length !== copy.length) {
      stream.destroy()
      return { result: 'wrong_bytes', bytes, message: `the provider announces ${length} bytes instead of ${copy.length}` }
    }
    const hasher = createPieceHasher()
    for await (const block of stream as AsyncIterable<Buffer>) {
      bytes += block.length
      if (bytes > copy.length) return { result: 'wrong_bytes', bytes, message: `more than ${copy.length} bytes` }
      hasher.update(block)
      rate.add(block.length)
      freePiece(block)
    }
    if (bytes < copy.length) return { result: 'unreachable', bytes, message: `the answer ended ${copy.length - bytes} bytes early` }
    if (pieceCidOf(hasher.digest()) === copy.pieceCid) return { result: 'intact', bytes }
    return { result: 'wrong_bytes', bytes, message: 'the bytes have another piece CID' }
  } catch (error) {
    signal.throwIfAborted()
    return { result: 'unreachable', bytes, message: (tooSlow.signal.aborted ? tooSlow.signal.reason : (error as Error)).message }
  }
}
