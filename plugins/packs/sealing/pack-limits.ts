import { defineService, type SettingValues } from '#kernel'
import type { Providers } from '#plugins/providers'
import type { DataSetRecord, Placements } from '#plugins/replication'
import { packMembersMax } from '#plugins/storage'
import type { packsSection } from '../settings.ts'
import type { SealLimits } from './seal-policy.ts'

export interface PackLimits {
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

/** A replica has a data set that is to take over from its current one. */
const isStopping = (dataSets: readonly DataSetRecord[]): boolean =>
  dataSets.some(
    ({ copyIndex, generation, isCurrent, status }) =>
      !isCurrent &&
      ['pending', 'creating', 'ready'].includes(status) &&
      dataSets.some((current) => current.isCurrent && current.copyIndex === copyIndex && current.generation < generation),
  )

export function createPackLimits({ settings, placements, providers }: LimitDeps): PackLimits {
  const dataSetsOf = async (bucketId: number): Promise<readonly DataSetRecord[]> => (await placements?.dataSetsOf([bucketId])) ?? []

  async function largestPiece(dataSets: readonly DataSetRecord[]): Promise<number> {
    const current = new Set(dataSets.flatMap(({ isCurrent, providerId }) => (isCurrent ? [providerId] : [])))
    const known = current.size === 0 ? [] : ((await providers?.inventory())?.providers ?? [])
    return Math.min(
      settings.bytes,
      ...known.flatMap(({ providerId, pieceBytesMax }) => (current.has(providerId) ? (pieceBytesMax ?? []) : [])),
    )
  }
  return {
    objectBytesMax: Math.min(settings.object_bytes_max, Math.floor(settings.bytes / 2)),
    async of(bucketId) {
      const dataSets = await dataSetsOf(bucketId)
      return {
        bytes: await largestPiece(dataSets),
        members: packMembersMax,
        waitMs: settings.wait,
        idleMs: settings.idle,
        isStopping: isStopping(dataSets),
      }
    },
  }
}
