import { defineService, type SettingValues } from '#kernel'
import type { Providers } from '#plugins/providers'
import type { Placements } from '#plugins/replication'
import { packMembersMax } from '#plugins/storage'
import type { packsSection } from '../settings.ts'
import type { SealLimits } from './seal-policy.ts'

interface PackLimits {
  /** Returns the limits of packs of the bucket now: every provider that gets copies takes such a pack. */
  of(bucketId: number): Promise<SealLimits>
  /** Largest object that is packed. */
  readonly objectBytesMax: number
}

export const packLimits = defineService<PackLimits>('packs.limits')

interface LimitDeps {
  readonly settings: SettingValues<(typeof packsSection)['keys']>
  readonly placements: Pick<Placements, 'dataSetsOf'> | undefined
  readonly providers: Pick<Providers, 'inventory'> | undefined
}

export function createPackLimits({ settings, placements, providers }: LimitDeps): PackLimits {
  async function largestPiece(bucketId: number): Promise<number> {
    const dataSets = (await placements?.dataSetsOf([bucketId])) ?? []
    const current = new Set(dataSets.flatMap(({ isCurrent, providerId }) => (isCurrent ? [providerId] : [])))
    const known = current.size === 0 ? [] : ((await providers?.inventory())?.providers ?? [])
    return Math.min(
      settings.bytes,
      ...known.flatMap(({ providerId, pieceBytesMax }) => (current.has(providerId) ? (pieceBytesMax ?? []) : [])),
    )
  }
  return {
    objectBytesMax: Math.min(settings.object_bytes_max, settings.bytes / 2),
    of: async (bucketId) => ({
      bytes: await largestPiece(bucketId),
      members: packMembersMax,
      waitMs: settings.wait,
      idleMs: settings.idle,
    }),
  }
}
