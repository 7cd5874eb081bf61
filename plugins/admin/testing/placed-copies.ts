/** A replication plugin that places the versions of real storage where a test says. */
import { database, definePlugin, type Plugin, provide, type Reader } from '#kernel'
import { allRows } from '#kernel/testing'
import { type ProviderFacts, providerFacts } from '#plugins/providers'
import {
  type CopyProgress,
  type CopyWork,
  type DataSetRecord,
  noShortfall,
  type Placement,
  type Placements,
  placements,
} from '#plugins/replication'
import { copyDefaults, defineCopyDefaults } from '#plugins/storage'

export interface PlacedCopies {
  readonly plugin: Plugin
  /** What the list of versions on data sets returns: tests that call it set it. */
  readonly replicas: { versionsOn?: Placements['versionsOn'] }
  /** What happens to the copies of a version; a version without an entry has no state. */
  readonly works: Map<string, CopyWork>
  /** Sets where a version's bytes are. Default: only in the cache. */
  place(versionId: string, placement: Partial<Placement>): void
  addDataSet(record: DataSetRecord): void
  /** Facts by provider; nothing is known without an entry. */
  readonly facts: Map<string, ProviderFacts>
}

interface StoredVersion {
  readonly bucketId: number
  readonly versionId: string
  readonly contentId: number | null
  readonly isCurrent: number
  readonly createdAtMs: number
}

const readVersions = (read: Reader): Promise<StoredVersion[]> =>
  allRows(
    read,
    `select v.bucket_id as "bucketId", v.version_id as "versionId", v.content_id as "contentId", v.created_at as "createdAtMs",
      case when v.rseq = (select min(n.rseq) from object_versions n where n.bucket_id = v.bucket_id and n.key = v.key) then 1 else 0 end as "isCurrent"
     from object_versions v`,
  )

export function placeCopies(): PlacedCopies {
  const placed = new Map<string, Partial<Placement>>()
  const dataSets: DataSetRecord[] = []
  const replicas: PlacedCopies['replicas'] = {}
  const facts: PlacedCopies['facts'] = new Map()
  const placementOf = ({ versionId, contentId, createdAtMs }: StoredVersion): Placement => {
    const cached = { state: 'cached', isCached: contentId !== null, pieceCid: null, requestedCopies: 0, copies: [], message: null } as const
    return { ...cached, updatedAtMs: createdAtMs, upload: null, ...placed.get(versionId) }
  }
  const works: PlacedCopies['works'] = new Map()
  const createPlacements = (read: Reader): Placements => ({
    async ofVersion(bucketId, versionId) {
      const found = (await readVersions(read)).find((one) => one.bucketId === bucketId && one.versionId === versionId)
      return found && placementOf(found)
    },
    async ofContents(contentIds) {
      const versions = (await readVersions(read)).filter(({ contentId }) => contentId !== null && contentIds.includes(contentId))
      return new Map(
        versions.map((version) => {
          const placement = placementOf(version)
          const isOnChain = placement.copies.some(({ status }) => status === 'committed')
          const { copies: _, ...situation } = placement
          return [version.contentId ?? 0, { ...situation, isOnChain }]
        }),
      )
    },
    async ofWork(contentIds, work) {
      const versions = (await readVersions(read)).filter(({ contentId }) => contentId !== null && contentIds.includes(contentId))
      const found = versions.filter(({ versionId }) => works.get(versionId) === work)
      return new Map(
        found.map((version) => [version.contentId ?? 0, { ...placementOf(version), isOnChain: false, copies: withWork(work) }]),
      )
    },
    async versionsOn(request) {
      if (!replicas.versionsOn) throw new Error('the test sets versionsOn')
      return await replicas.versionsOn(request)
    },
    dataSetsOf: async (bucketIds) => dataSets.filter(({ bucketId }) => bucketIds.includes(bucketId)),
    countDataSets: async () => countBy(dataSets.map(({ status }) => status)),
    countConfirmations: async () => 0,
    countStuckDataSets: async () => 0,
    countVersionsOn: async (some, max) => Math.min(max, Math.max(0, ...some.map(({ referencedVersions }) => referencedVersions))),
    async countObjects() {
      const current = (await readVersions(read)).filter(({ isCurrent, contentId }) => isCurrent === 1 && contentId !== null)
      return { byState: countBy(current.map((version) => placementOf(version).state)), unavailable: 0, stuck: 0, ...noShortfall }
    },
  })
  const plugin = definePlugin({
    id: 'replication',
    requires: ['storage'],
    provides: [
      provide(providerFacts, {}, () => ({ of: (providerId) => facts.get(providerId) ?? {} })),
      provide(placements, { database }, ({ database }) => createPlacements(database.read)),
    ],
    contributes: [copyDefaults.with(defineCopyDefaults({ name: 'placed-copies', uses: {}, read: () => ({ defaultCopies: 3 }) }))],
  })
  return {
    plugin,
    replicas,
    works,
    facts,
    place: (versionId, placement) => void placed.set(versionId, placement),
    addDataSet: (record) => void dataSets.push(record),
  }
}

const withWork = (work: CopyWork): CopyProgress => ({
  work,
  target: 2,
  stored: work === 'complete' ? 2 : 1,
  waitReason: null,
  waitMessage: null,
  waitUntilMs: null,
  slots: [],
})

const countBy = <Name>(names: readonly Name[]): Map<Name, number> =>
  new Map([...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]))
