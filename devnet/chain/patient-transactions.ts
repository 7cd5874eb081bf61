// Remembers the transactions that wait for the next regular block instead of getting one of their own.
import type { Hex } from 'viem'

/** Far more than are pending at the same time. */
const REMEMBERED_MAX = 10_000

/**
 * Each impatient transaction makes an epoch. If proofs made epochs too, about ten data sets would fill each
 * proving period with the blocks of their own proofs, and epochs would pass ever faster.
 */
export interface PatientTransactions {
  /** Must be called before the broadcast. */
  add(hash: Hex): void
  has(hash: string): boolean
}

export function createPatientTransactions(): PatientTransactions {
  const hashes = new Set<string>()
  return {
    add(hash) {
      hashes.add(hash)
      const [oldest] = hashes
      if (oldest !== undefined && hashes.size > REMEMBERED_MAX) hashes.delete(oldest)
    },
    has: (hash) => hashes.has(hash),
  }
}
