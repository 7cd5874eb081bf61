import type { Database, Reader, TaskQueue } from '#kernel'
import type { ContentSituation, Placements, UploadRecord } from '../../contract.ts'
import { type ContentRow, findContents, findUnsettledContents } from '../records/placement-store.ts'
import { type ContentState, withStates } from './being-stored.ts'
import { progressOf, workOf } from './copy-progress.ts'

type Content = ContentRow & ContentState

interface ContentViewDeps {
  readonly database: Pick<Database, 'snapshot'>
  readonly queue: Pick<TaskQueue, 'openKeys'>
  uploadOf(content: Content): UploadRecord | null
}

/** Situations of contents for lists. A content and its tasks are read in one snapshot. */
export function createContentViews({ database, queue, uploadOf }: ContentViewDeps): Pick<Placements, 'ofContents' | 'ofWork'> {
  const read = async (
    contentIds: readonly number[],
    find: (read: Reader, ids: readonly number[]) => Promise<ContentRow[]>,
    isWanted: (content: Content) => boolean = () => true,
  ) => {
    if (contentIds.length === 0) return new Map<number, ContentSituation>()
    return database.snapshot(async (read) => {
      const contents = (await withStates(read, queue, await find(read, contentIds))).filter(isWanted)
      const progress = await progressOf(read, contents)
      const situationOf = (content: Content): ContentSituation => ({
        ...toSituation(content),
        upload: uploadOf(content),
        copies: progress(content),
      })
      return new Map(contents.map((content) => [content.contentId, situationOf(content)]))
    })
  }
  return {
    ofContents: (contentIds) => read(contentIds, findContents),
    ofWork: (contentIds, work) =>
      read(contentIds, work === 'complete' ? findContents : findUnsettledContents, (content) => workOf(content) === work),
  }
}

const toSituation = ({ state, isCached, isReadable, isStuck, isDenied, pieceCid, committed }: Content) => ({
  state,
  isCached,
  isReadable,
  isStuck,
  isDenied,
  isOnChain: committed > 0,
  pieceCid,
})
