// The transactions that may wait for the next regular block instead of getting one of their own.
import type { Hex } from 'viem'

/** Far more than are ever on their way at once. */
const REMEMBERED_MAX = 10_000

/**
 * Every other transaction is an epoch. If proving made epochs as well, some ten data sets would need a
 * period's worth of proofs in every period, and the chain would run away.
 */
export interface PatientTransactions {
  /** Before it is broadcast. */
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
