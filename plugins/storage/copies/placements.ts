import type { Clock, Database, Reader, TaskQueue } from '#kernel'
import type { ContentSituation, CopyRecord, Placement, Placements } from '../contract.ts'
import { shareCount } from '../objects/share-count.ts'
import { countStates } from '../objects/state-counts.ts'
import { isBeingStored } from './being-stored.ts'
import { type ContentRow, findContent, findVersionContent, listCopyRecords, listDataSetRecords, objectState } from './placement-store.ts'
import type { UploadMeter } from './upload-meter.ts'

export interface PlacementDoors {
  readonly database: Database
  readonly clock: Clock
  readonly queue: Pick<TaskQueue, 'isOpen'>
  readonly uploads: UploadMeter
  pieceUrl(serviceUrl: string, pieceCid: string): string
}

const noPlacement = { pieceCid: null, requestedCopies: 0, copies: [], message: null, upload: null } as const

export function createPlacements({ database, clock, queue, uploads, pieceUrl }: PlacementDoors): Placements {
  const reader: Reader = database.read
  const stateOf = (content: ContentRow) => objectState(content, () => isBeingStored(reader, queue, content.contentId))
  return {
    ofVersion(bucketId, versionId) {
      const version = findVersionContent(reader, bucketId, versionId)
      if (!version) return undefined
      const content = version.contentId === null ? undefined : findContent(reader, version.contentId)
      // A delete marker has no bytes anywhere.
      if (!content) return { ...noPlacement, state: 'cached', isCached: false, updatedAtMs: version.createdAtMs }
      return {
        ...describe(content, listCopyRecords(reader, content.contentId, pieceUrl)),
        state: stateOf(content),
        upload: uploads.of(content.contentId) ?? null,
      }
    },
    ofContents(contentIds) {
      const found = new Map<number, ContentSituation>()
      for (const contentId of contentIds) {
        const content = findContent(reader, contentId)
        if (!content) continue
        found.set(contentId, {
          state: stateOf(content),
          isCached: content.isCached,
          isOnChain: content.committed > 0,
          pieceCid: content.pieceCid,
          upload: uploads.of(contentId) ?? null,
        })
      }
      return found
    },
    dataSetsOf: (bucketId) => listDataSetRecords(reader, bucketId),
    countObjects: shareCount(clock, () => countStates(reader, queue)),
  }
}

function describe(content: ContentRow, copies: readonly CopyRecord[]): Omit<Placement, 'state' | 'upload'> {
  return {
    isCached: content.isCached,
    pieceCid: content.pieceCid,
    requestedCopies: content.targetCopies,
    copies,
    message: copies.find((copy) => copy.lastError !== null && copy.status !== 'committed')?.lastError ?? null,
    updatedAtMs: content.updatedAtMs,
  }
}
