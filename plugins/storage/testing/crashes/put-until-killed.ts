import type { ObjectStorage } from '../object-storage.ts'

/** Concurrent puts. */
const writers = 4
const keysInUse = 10

/**
 * Puts objects until the process ends, and sends the DSN of the database and each acknowledged put to the parent process.
 * `wordsOf`: number of repetitions of a few words in the n-th body. Some keys and some bytes repeat, and some bodies are refused after
 * their last byte.
 */
export async function putUntilKilled(storage: ObjectStorage, wordsOf: (n: number) => number): Promise<void> {
  process.send?.(storage.dsn)
  let count = 0
  const refuse = () => {
    throw new Error('refused')
  }
  const putForever = async () => {
    for (;;) {
      const n = count++
      const text = `body ${n % 7 === 0 ? 'of many' : n} `.repeat(wordsOf(n))
      if (n % 10 === 0) await storage.put('refused', `refused ${text}`, { verify: refuse }).catch(() => {})
      const { key, versionId } = await storage.put(`k${n % keysInUse}`, text)
      process.send?.({ key, versionId, text })
    }
  }
  await Promise.all(Array.from({ length: writers }, putForever))
}
