import type { Reader, TaskQueue } from '#kernel'
import type { ObjectState } from '../../contract.ts'
import { deniedAmong } from '../../stuck/denied-contents-store.ts'
import { openWorkOf } from '../../stuck/open-work-store.ts'
import { stuckAmong } from '../../stuck/stuck-contents-store.ts'
import { combineWork, judgeWork, type Work } from '../../stuck/work-policy.ts'
import { taskKeys } from '../../task-keys.ts'
import { awaitsUpload, type LocatedContent, objectState } from '../records/object-state-policy.ts'
import { partsOfComposites } from './composite-parts-store.ts'
import { compositeSituation } from './composite-state-policy.ts'

export interface ContentState extends Work {
  readonly state: ObjectState
  /** Every byte is in the cache or on chain. */
  readonly isReadable: boolean
  /** A copy is missing, and no task works on it. An object that failed is reported as that. */
  readonly isStuck: boolean
  /** A committed copy does not count as durable, and it lacks copies. */
  readonly isDenied: boolean
  /** The contents that hold the copies of a composite: parts of it, and packs of parts. */
  readonly partIds: readonly number[]
}

/** The contents with their states. Read both in one snapshot: a task that ends in between would make its content look failed. */
export async function withStates<C extends LocatedContent & { readonly partCount: number }>(
  reader: Reader,
  queue: Pick<TaskQueue, 'openKeys'>,
  contents: readonly C[],
): Promise<readonly (C & ContentState)[]> {
  const compositeIds = contents.filter(({ partCount }) => partCount > 0).map(({ contentId }) => contentId)
  const parts: Awaited<ReturnType<typeof partsOfComposites>> =
    compositeIds.length === 0 ? new Map() : await partsOfComposites(reader, compositeIds)
  const leaves = [contents.filter(({ partCount }) => partCount === 0), ...parts.values()].flat()
  const stateOf = await leafStates(reader, queue, leaves)
  const lacking = [...new Set(leaves.flatMap((content) => (onItsWay.has(stateOf(content)) ? [content.copiedId] : [])))]
  const stuck = await stuckAmong(reader, lacking)
  const open = await openWorkOf(
    reader,
    lacking.filter((id) => !stuck.has(id)),
  )
  const denied = await deniedAmong(reader, lacking)
  const isStuck = ({ copiedId }: LocatedContent) => stuck.has(copiedId)
  const isDenied = ({ copiedId }: LocatedContent) => denied.has(copiedId)
  const workOn = (content: LocatedContent) =>
    judgeWork({
      state: stateOf(content),
      isStuck: isStuck(content),
      isPacking: content.isWaiting,
      tasks: open.get(content.copiedId) ?? [],
    })
  return contents.map((content) => {
    const own = parts.get(content.contentId)
    if (!own) {
      const flags = { isReadable: isReadable(content), isStuck: isStuck(content), isDenied: isDenied(content) }
      return { ...content, ...flags, ...workOn(content), state: stateOf(content), partIds: noParts }
    }
    const situation = compositeSituation(own.map((part) => ({ ...part, state: stateOf(part) })))
    const partIds = [...new Set(own.map((part) => part.copiedId))]
    const flags = { isStuck: onItsWay.has(situation.state) && own.some(isStuck), isDenied: own.some(isDenied) }
    return { ...content, ...situation, ...flags, ...combineWork(own.map(workOn)), partIds }
  })
}

/** States that promise further copies (I-43). */
const onItsWay: ReadonlySet<ObjectState> = new Set(['cached', 'uploading', 'committing', 'replicating'])
const noParts: readonly number[] = []
const isReadable = ({ isCached, committed }: LocatedContent): boolean => isCached || committed > 0

/** Reads once which of the contents are being uploaded. Most contents are not waiting for one. */
async function leafStates(
  reader: Reader,
  queue: Pick<TaskQueue, 'openKeys'>,
  contents: readonly LocatedContent[],
): Promise<(content: LocatedContent) => ObjectState> {
  const keys = [...new Set(contents.filter(awaitsUpload).map(({ copiedId }) => taskKeys.store(copiedId)))]
  const open: ReadonlySet<string> = keys.length === 0 ? new Set() : await queue.openKeys(reader, keys)
  return (content) => objectState(content, content.isWaiting || (open.size > 0 && open.has(taskKeys.store(content.copiedId))))
}
