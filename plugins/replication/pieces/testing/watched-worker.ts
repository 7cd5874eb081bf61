import { type Transferable, Worker } from 'node:worker_threads'
import { vi } from 'vitest'
import { startPieceWorker } from '../hashing-thread.ts'
import type { DropRequest, SegmentRequest } from '../piece-worker.ts'

/** A hashing thread whose requests are recorded. */
export function watchedWorker(requests: (SegmentRequest | DropRequest)[]): Worker {
  const worker = startPieceWorker()
  vi.spyOn(worker, 'postMessage').mockImplementation(function (
    this: Worker,
    request: SegmentRequest | DropRequest,
    moved: readonly Transferable[] = [],
  ) {
    requests.push(request)
    Worker.prototype.postMessage.call(this, request, moved)
  } as Worker['postMessage'])
  return worker
}
