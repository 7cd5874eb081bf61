/**
 * The result of `work`, or after `ms` the result of `late`. Uses real time, so that a test's clock cannot block it. `work` keeps running
 * unless `late` aborts it.
 */
export async function within<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  const { promise: tooLate, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, ms, 'late')
  try {
    const first = await Promise.race([work.then((value) => ({ value })), tooLate])
    return first === 'late' ? late() : first.value
  } finally {
    clearTimeout(timer)
  }
}
