/**
 * What `work` comes to, or after `ms` what `late` returns or throws. In real time, so that a test's clock cannot hold it. The work itself
 * is not ended: `late` has to do that where it matters.
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
