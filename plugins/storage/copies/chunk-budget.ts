import { storageErrors } from '../errors.ts'
import { createChunkMemory, type Slot } from './chunk-memory.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'

/** A reader that waits for its client. */
export interface RestingReader {
  /** When it got its chunk, by the monotonic clock. */
  readonly heldSinceMs: number
  /** Releases its chunks; it fetches them again when its client goes on. */
  giveBack(): void
}

/** The memory of all reads from providers, given in the order in which it was asked for. */
export interface ChunkBudget {
  /** Room for so many bytes. @throws storageErrors.remote_reads_busy when they did not become free in time; the signal's reason when it aborts first */
  take(length: number, signal: AbortSignal): Promise<Slot>
  /** The same at once, if `leaving` bytes stay free and no reader waits. */
  tryTake(length: number, leaving: number): Slot | undefined
  /** Between these two calls the reader waits for its client, and may have to give back its chunks. */
  rest(reader: RestingReader): void
  resume(reader: RestingReader): void
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
  const resting = new Set<RestingReader>()
  /** In the order of their arrival; none overtakes another. */
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

  /** Takes chunks from readers whose clients do not take them, the longest held first, until no reader waits. */
  function reclaim(): void {
    const dueMs = performance.now() - limits.hold
    const due = [...resting].filter(({ heldSinceMs }) => heldSinceMs <= dueMs).sort((a, b) => a.heldSinceMs - b.heldSinceMs)
    for (const reader of due) {
      if (waiters.size === 0) return
      resting.delete(reader)
      reader.giveBack()
    }
  }

  async function wait(length: number, signal: AbortSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    // Leaves the queue at once: a slot given to a reader that has left would be lost.
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
      if (waiters.size >= limits.waitersMax) throw busy(`${limits.waitersMax} reads wait already`)
      return wait(length, signal)
    },
    tryTake: (length, leaving) => (waiters.size === 0 && memory.fits(length, leaving) ? give(length) : undefined),
    rest: (reader) => void resting.add(reader),
    resume: (reader) => void resting.delete(reader),
    get usedBytes() {
      return memory.usedBytes
    },
  }
}

function busy(detail: string): Error {
  return storageErrors.remote_reads_busy({
    message: `too many objects are being read from providers: ${detail}; try again`,
    retryAfterSeconds,
  })
}
