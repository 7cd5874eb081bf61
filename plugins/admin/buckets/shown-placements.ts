/** What the Admin API shows of copies, also while the plugin replication is disabled. */

import { type Database, defineService } from '#kernel'
import { kernelErrors } from '#kernel/system'
import { type ContentSituation, noShortfall, type Placements } from '#plugins/replication'
import type { Buckets, ContentPlace, Contents } from '#plugins/storage'

/** The placements of replication, or what storage knows. */
export const shownPlacements = defineService<Placements>('admin.shown-placements')

interface StorageFacts {
  readonly buckets: Pick<Buckets, 'totalUsage'>
  readonly contents: Pick<Contents, 'placesOf'>
  readonly database: Database
}

export function placementsWithout({ buckets, contents, database }: StorageFacts): Placements {
  const refuse = async (): Promise<never> => {
    throw kernelErrors.plugin_disabled({ message: 'The plugin replication, which keeps copies at providers, is disabled.' })
  }
  return {
    async ofContents(contentIds) {
      const places = await contents.placesOf(database.read, contentIds)
      return new Map([...places].map(([id, place]) => [id, situationOf(place)]))
    },
    dataSetsOf: async () => [],
    countDataSets: async () => new Map(),
    countVersionsOn: async () => 0,
    countConfirmations: async () => 0,
    countStuckDataSets: async () => 0,
    countObjects: async () => ({
      byState: new Map([['cached', (await buckets.totalUsage()).objectCount]]),
      unavailable: 0,
      stuck: 0,
      ...noShortfall,
    }),
    ofVersion: refuse,
    ofWork: refuse,
    versionsOn: refuse,
  }
}

const situationOf = ({ isCached, readableCopies }: ContentPlace): ContentSituation => ({
  state: 'cached',
  isCached,
  isOnChain: false,
  isReadable: isCached || readableCopies > 0,
  pieceCid: null,
  upload: null,
})
