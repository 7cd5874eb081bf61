import type { Database } from '#kernel'
import type { StoredProvider } from '../contract/providers.ts'
import type { LastRead } from './freshness-policy.ts'
import { listStored } from './inventory-store.ts'

/** The stored providers. They are read again when another read of the registry is the last one: a list of thousands takes 10 ms. */
export function createStoredList(database: Database) {
  let kept: { readonly of: LastRead; readonly providers: readonly StoredProvider[] } | undefined
  const isKept = ({ chainId, readAtMs, failedAtMs }: LastRead) =>
    kept?.of.chainId === chainId && kept.of.readAtMs === readAtMs && kept.of.failedAtMs === failedAtMs
  return {
    async list(last?: LastRead): Promise<readonly StoredProvider[]> {
      if (kept && last && isKept(last)) return kept.providers
      const providers = await listStored(database.read)
      if (last) kept = { of: last, providers }
      return providers
    },
    forget() {
      kept = undefined
    },
  }
}
