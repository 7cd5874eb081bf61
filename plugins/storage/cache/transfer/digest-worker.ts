// Worker thread: digests of several streams of bytes, which are in memory shared with the main thread.
import { parentPort, workerData } from 'node:worker_threads'
import { type Digest, type DigestName, startDigest } from '../verification/digests.ts'

/** Every request except `drop` gets a DigestReply with its number. */
export type DigestRequest =
  | {
      readonly number: number
      readonly id: number
      readonly is: 'add'
      readonly names: readonly DigestName[]
      readonly at: number
      readonly length: number
    }
  | { readonly number: number; readonly id: number; readonly is: 'end' }
  | { readonly id: number; readonly is: 'drop' }

export interface DigestReply {
  readonly number: number
  /** Lower-case hex; only in the reply to `end`. */
  readonly digests?: readonly string[]
}

const port = parentPort
if (!port) throw new Error('digest-worker.ts runs as a worker thread only')
const memory = workerData as SharedArrayBuffer

const streams = new Map<number, readonly Digest[]>()

async function answer(request: DigestRequest): Promise<void> {
  const { id } = request
  const running = streams.get(id)
  if (request.is === 'add') {
    const digests = running ?? (await Promise.all(request.names.map(startDigest)))
    if (!running) streams.set(id, digests)
    const bytes = new Uint8Array(memory, request.at, request.length)
    for (const digest of digests) digest.update(bytes)
    port?.postMessage({ number: request.number } satisfies DigestReply)
    return
  }
  streams.delete(id)
  if (request.is === 'end')
    port?.postMessage({ number: request.number, digests: running?.map((digest) => digest.hex()) ?? [] } satisfies DigestReply)
}

let last = Promise.resolve()
port.on('message', (request: DigestRequest) => {
  last = last.then(() => answer(request))
})
