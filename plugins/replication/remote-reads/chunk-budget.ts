import { replicationErrors } from '../errors.ts'
import { createChunkMemory, type Slot } from './chunk-memory.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'

/** A reader that waits for its client. The budget may take its chunks. */
export interface IdleReader {
  /** When it got its chunk, on the monotonic clock. */
  readonly heldSinceMs: number
  /** Releases its chunks; they are fetched again when its client continues. */
  releaseChunks(): void
}

/** Memory of all reads from providers, granted in request order. */
export interface ChunkBudget {
  /** Waits for `length` bytes. @throws replicationErrors.remote_reads_busy after the memory wait; the signal's reason when it aborts */
  take(length: number, signal: AbortSignal): Promise<Slot>
  /** Returns at once: undefined unless `keepFree` bytes remain free and no reader waits. */
  tryTake(length: number, keepFree: number): Slot | undefined
  /** Tells that the reader waits for its client: its chunks may be taken until `resume`. */
  pause(reader: IdleReader): void
  resume(reader: IdleReader): void
  readonly usedBytes: number
}

type BudgetLimits = Pick<RemoteReadLimits, 'bytesMax' | 'waitersMax' | 'memoryWait' | 'hold' | 'reclaimPoll'>

interface Waiter {
  readonly length: number
  resolve(slot: Slot): void
}

const retryAfterSeconds = 5

export function createChunkBudget(limits: BudgetLimits): ChunkBudget {
  const memory = createChunkMemory(limits.bytesMax)
  const idle = new Set<IdleReader>()
  /** Waiters in arrival order; newcomers cannot overtake. */
  const waiters = new Set<Waiter>()
  let poll: NodeJS.Timeout | undefined

  const give = (length: number): Slot => memory.give(length, serveWaiters)

  function serveWaiters(): void {
    for (const next of waiters) {
      if (!memory.fits(next.length)) return
      waiters.delete(next)
      next.resolve(give(next.length))
    }
  }

  /** Takes chunks from idle readers, longest held first, until no reader waits. */
  function reclaim(): void {
    const dueMs = performance.now() - limits.hold
    const due = [...idle].filter(({ heldSinceMs }) => heldSinceMs <= dueMs).sort((a, b) => a.heldSinceMs - b.heldSinceMs)
    for (const reader of due) {
      if (waiters.size === 0) return
      idle.delete(reader)
      reader.releaseChunks()
    }
  }

  async function wait(length: number, signal: AbortSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    // An aborted reader leaves the queue at once: a slot granted to it would leak.
    const waiter: Waiter = { length, resolve }
    const leave = (reason: unknown) => {
      waiters.delete(waiter)
      reject(reason)
      // A shorter chunk may have waited behind this one.
      serveWaiters()
    }
    const stop = () => leave(signal.reason)
    const timer = setTimeout(() => leave(busy(`no memory became free within ${limits.memoryWait} ms`)), limits.memoryWait)
    signal.addEventListener('abort', stop, { once: true })
    waiters.add(waiter)
    poll ??= setInterval(reclaim, limits.reclaimPoll)
    reclaim()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (waiters.size === 0) {
        clearInterval(poll)
        poll = undefined
      }
    }
  }

  return {
    async take(length, signal) {
      signal.throwIfAborted()
      if (waiters.size === 0 && memory.fits(length)) return give(length)
      if (waiters.size >= limits.waitersMax) throw busy(`${limits.waitersMax} reads are already waiting`)
      return wait(length, signal)
    },
    tryTake: (length, keepFree) => (waiters.size === 0 && memory.fits(length, keepFree) ? give(length) : undefined),
    pause: (reader) => void idle.add(reader),
    resume: (reader) => void idle.delete(reader),
    get usedBytes() {
      return memory.usedBytes
    },
  }
}

function busy(detail: string): Error {
  return replicationErrors.remote_reads_busy({
    message: `too many objects are being read from providers: ${detail}; try again`,
    retryAfterSeconds,
  })
}
