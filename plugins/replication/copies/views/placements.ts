import type { Clock, Database, Reader, TaskQueue } from '#kernel'
import type { Packs, Versions } from '#plugins/storage'
import type { CopyRecord, Placement, Placements } from '../../contract.ts'
import { describeStuck } from '../../stuck/describe-stuck-policy.ts'
import { findNextStep } from '../../stuck/next-step-store.ts'
import { countStuckSets } from '../../stuck/stuck-sets-store.ts'
import type { UploadMeter } from '../../upload-meter.ts'
import {
  type ContentRow,
  countCopiesInAttention,
  countDataSetStates,
  countVersionsOn,
  findContent,
  findPackPlace,
  findVersionContent,
  listDataSetRecords,
} from '../records/placement-store.ts'
import { type ContentState, withStates } from './being-stored.ts'
import { combineCopies } from './combine-copies-policy.ts'
import { createContentViews } from './content-views.ts'
import { listCopyRecords, listPartCopyRecords } from './copy-record-store.ts'
import { listDependentVersions } from './dependent-store.ts'
import { shareCount } from './share-count.ts'
import { countStates } from './state-counts.ts'

interface PlacementDeps {
  readonly database: Database
  readonly clock: Clock
  readonly queue: Pick<TaskQueue, 'openKeys'>
  readonly uploads: UploadMeter
  readonly versions: Pick<Versions, 'rangeOf'>
  /** Absent: nothing waits for a pack. */
  readonly packs?: Pick<Packs, 'describeWait'>
  pieceUrl(serviceUrl: string, pieceCid: string): string
  /** Returns the registered name; undefined before the registry was read. */
  providerName(providerId: string): string | undefined
}

const deniedMessage =
  'A committed copy does not count as durable: its provider or the chain denies it. svc checks it again; svc admin data-set list says why.'

const messageOf = ({ message }: Pick<Placement, 'message'>, isDenied: boolean) => message ?? (isDenied ? deniedMessage : null)

const noPlacement = { pieceCid: null, requestedCopies: 0, copies: [], message: null, upload: null } as const

export function createPlacements({ database, clock, queue, uploads, versions, packs, pieceUrl, providerName }: PlacementDeps): Placements {
  const reader = database.read
  /** Chooses the upload of one of the parts for a composite. */
  const uploadOf = ({ copiedId, partIds }: ContentRow & ContentState) =>
    [copiedId, ...partIds].map((id) => uploads.of(id)).find((upload) => upload !== undefined) ?? null
  const recordsOf = async (read: Reader, { contentId, copiedId, partIds }: ContentRow & ContentState) =>
    partIds.length > 0
      ? combineCopies(await listPartCopyRecords(read, contentId), partIds.length)
      : listCopyRecords(read, copiedId, pieceUrl)
  const explainStuck = async (
    read: Reader,
    { copiedId, partIds, committed }: ContentRow & ContentState,
    { requestedCopies, message }: Pick<Placement, 'requestedCopies' | 'message'>,
  ) =>
    describeStuck({
      committed,
      requested: requestedCopies,
      lastError: message,
      nowMs: clock.now(),
      ...(await findNextStep(read, partIds.length > 0 ? partIds : [copiedId])),
    })
  const packOf = async (read: Reader, { contentId, copiedId }: ContentRow): Promise<Pick<Placement, 'pack'>> => {
    const pack = copiedId === contentId ? undefined : await findPackPlace(read, contentId)
    return pack ? { pack } : {}
  }
  const explain = async (read: Reader, bucketId: number, content: ContentRow & ContentState, placed: ReturnType<typeof describe>) => {
    if (content.isStuck) return explainStuck(read, content, placed)
    const wait = content.isWaiting ? await packs?.describeWait(read, bucketId) : undefined
    return wait ?? messageOf(placed, content.isDenied)
  }
  return {
    ofVersion: (bucketId, versionId) =>
      database.snapshot(async (read) => {
        const version = await findVersionContent(read, bucketId, versionId)
        if (!version) return undefined
        const found = version.contentId === null ? undefined : await findContent(read, version.contentId)
        const [content] = await withStates(read, queue, found ? [found] : [])
        // Delete markers have no bytes.
        if (!content) return { ...noPlacement, state: 'cached', isCached: false, updatedAtMs: version.createdAtMs }
        const { state, isReadable, isStuck, isDenied } = content
        const placed = describe(content, await recordsOf(read, content), providerName)
        const message = await explain(read, bucketId, content, placed)
        return { ...placed, ...(await packOf(read, content)), message, state, isReadable, isStuck, isDenied, upload: uploadOf(content) }
      }),
    ...createContentViews({ database, queue, uploadOf }),
    dataSetsOf: (bucketIds) => listDataSetRecords(reader, bucketIds),
    async versionsOn({ bucketId, dataSetIds, limit, ...range }) {
      if (dataSetIds.length === 0) return { versions: [], isTruncated: false }
      const rows = await listDependentVersions(reader, {
        bucketId,
        dataSetIds,
        ...(await versions.rangeOf({ bucketId, ...range })),
        limit: limit + 1,
      })
      return { versions: rows.slice(0, limit), isTruncated: rows.length > limit }
    },
    countConfirmations: () => countCopiesInAttention(reader),
    async countStuckDataSets() {
      return Object.values(await countStuckSets(reader)).reduce((sum, n) => sum + n, 0)
    },
    countDataSets: () => countDataSetStates(reader),
    countVersionsOn: (dataSets, max) => countVersionsOn(reader, dataSets, max),
    countObjects: shareCount(clock, () => countStates(database, queue)),
  }
}

function describe(
  content: ContentRow,
  copies: readonly CopyRecord[],
  nameOf: PlacementDeps['providerName'],
): Omit<Placement, 'state' | 'upload'> {
  const failing = copies.find((copy) => copy.lastError !== null && copy.status !== 'committed')
  return {
    isCached: content.isCached,
    pieceCid: content.pieceCid,
    requestedCopies: content.size === 0 ? 0 : content.targetCopies,
    copies,
    message: failing ? `${nameProvider(failing, nameOf)}: ${failing.lastError}` : null,
    updatedAtMs: content.updatedAtMs,
  }
}

/** Returns a text such as `provider 7 (Example Storage)`. */
function nameProvider({ providerId }: CopyRecord, nameOf: PlacementDeps['providerName']): string {
  const name = providerId === null ? undefined : nameOf(providerId)
  return name ? `provider ${providerId} (${name})` : `provider ${providerId ?? 'unknown'}`
}
