// Worker thread: SHA-256 of several streams of blocks. The blocks are in memory shared with the main thread.
import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/** Every request except `drop` gets a DigestReply. */
export type DigestRequest =
  | { readonly id: number; readonly block: Uint8Array }
  | { readonly id: number; readonly is: 'end' }
  | { readonly id: number; readonly is: 'drop' }

export interface DigestReply {
  readonly id: number
  /** Lower-case hex; only in the reply to `end`. */
  readonly sha256?: string
}

const port = parentPort
if (!port) throw new Error('digest-worker.ts runs as a worker thread only')

/** By stream id; one per running read. */
const digests = new Map<number, Hash>()

port.on('message', (request: DigestRequest) => {
  const { id } = request
  if ('block' in request) {
    const digest = digests.get(id) ?? createHash('sha256')
    digests.set(id, digest.update(request.block))
    port.postMessage({ id } satisfies DigestReply)
    return
  }
  const digest = digests.get(id)
  digests.delete(id)
  if (request.is === 'end') port.postMessage({ id, sha256: (digest ?? createHash('sha256')).digest('hex') } satisfies DigestReply)
})
