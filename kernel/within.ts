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
