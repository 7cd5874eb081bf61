/** Waits that end early: by time or by a signal. */
import { type Clock, systemClock } from './clock.ts'

/** One for all: without a reason, `abort` makes an exception with a stack for every call. */
const workEnded = new Error('the work ended in time')

/**
 * The result of `work`, or after `ms` the result of `late`. By default in real time, so that a test's clock cannot block it. `work` keeps
 * running unless `late` aborts it.
 */
export async function within<T, L>(
  ms: number,
  work: Promise<T>,
  late: () => L,
  { sleep }: Pick<Clock, 'sleep'> = systemClock,
): Promise<T | L> {
  const ended = new AbortController()
  const tooLate = sleep(ms, ended.signal).then(
    () => 'late' as const,
    () => 'ended' as const,
  )
  try {
    const first = await Promise.race([work.then((value) => ({ value })), tooLate])
    return typeof first === 'string' ? late() : first.value
  } finally {
    ended.abort(workEnded)
  }
}

/** The promise; rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // One listener for each wait: a promise that lives as long as the signal would keep all results in memory.
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The blocks; throws the signal's reason as soon as it aborts, also while the source does not respond. */
export async function* untilAborted(blocks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const iterator = blocks[Symbol.asyncIterator]()
  try {
    for (let next = await unlessAborted(iterator.next(), signal); !next.done; next = await unlessAborted(iterator.next(), signal)) {
      yield next.value
    }
  } finally {
    // Not awaited: the source may not respond. Its later errors concern no one.
    iterator.return?.().catch(() => {})
  }
}
