import type { Database, Reader } from '#kernel'
import type { CopyRecord, Placement, Placements } from '../contract.ts'
import {
  type ContentRow,
  findContent,
  findContents,
  findVersionContent,
  listCopyRecords,
  listDataSetRecords,
  objectState,
} from './placement-store.ts'
import type { UploadMeter } from './upload-meter.ts'

export interface PlacementDoors {
  readonly database: Database
  readonly uploads: UploadMeter
  pieceUrl(serviceUrl: string, pieceCid: string): string
}

const noPlacement = { pieceCid: null, requestedCopies: 0, copies: [], message: null, upload: null } as const

export function createPlacements({ database, uploads, pieceUrl }: PlacementDoors): Placements {
  const reader: Reader = database.read
  return {
    ofVersion(bucketId, versionId) {
      const version = findVersionContent(reader, bucketId, versionId)
      if (!version) return undefined
      const content = version.contentId === null ? undefined : findContent(reader, version.contentId)
      // A delete marker has no bytes anywhere.
      if (!content) return { ...noPlacement, state: 'cached', isCached: false, updatedAtMs: version.createdAtMs }
      return describe(content, listCopyRecords(reader, content.contentId, pieceUrl), uploads)
    },
    ofContents(contentIds) {
      const situations = findContents(reader, contentIds).map((content) => {
        const { contentId, isCached, pieceCid, committed } = content
        return [contentId, { state: objectState(content), isCached, isOnChain: committed > 0, pieceCid }] as const
      })
      return new Map(situations)
    },
    dataSetsOf: (bucketId) => listDataSetRecords(reader, bucketId),
  }
}

function describe(content: ContentRow, copies: readonly CopyRecord[], uploads: UploadMeter): Placement {
  return {
    state: objectState(content),
    isCached: content.isCached,
    pieceCid: content.pieceCid,
    requestedCopies: content.targetCopies,
    copies,
    message: copies.find((copy) => copy.lastError !== null && copy.status !== 'committed')?.lastError ?? null,
    updatedAtMs: content.updatedAtMs,
    upload: uploads.of(content.contentId) ?? null,
  }
}
