/** Files whose copies wait for the disk at the same time. */
const width = 8

/** Results are in the order of the items. After an error, no further item is started, and the started ones end. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results = new Array<R>(items.length)
  const errors: unknown[] = []
  const entries = items.entries()
  const worker = async () => {
    for (const [at, item] of entries) {
      if (errors.length > 0) return
      try {
        results[at] = await work(item)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  if (errors.length > 0) throw errors[0]
  return results
}
