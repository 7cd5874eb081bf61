/** The next objects of a bulk action. */
import type { Objects, Versions } from '#plugins/storage'
import type { BulkAction } from './bulk-action-store.ts'

/** Objects that are looked at between two records of progress. */
const pageSize = 100

/** The marker of a deleted object. */
export interface Deleted {
  readonly key: string
  readonly markerVersionId: string
  readonly deletedAtMs: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page begins. */
  readonly targetAt: number
  readonly afterKey: string
}

interface PageDeps {
  readonly objects: Pick<Objects, 'listKeys'>
  readonly versions: Pick<Versions, 'deletedObjects'>
}

type Place = Pick<BulkAction, 'bucketId' | 'bucket' | 'targets' | 'targetAt' | 'afterKey'>

/** Returns undefined after the last target. */
export const nextKeys = ({ objects }: PageDeps, action: Place): Promise<Page<string> | undefined> =>
  nextPage(action, {
    named: async (key) => [key],
    async listed(request) {
      const { entries, isTruncated } = await objects.listKeys(request)
      return { items: entries.map(({ key }) => key), isTruncated }
    },
    keyOf: (key) => key,
  })

export const nextDeleted = ({ versions }: PageDeps, action: Place): Promise<Page<Deleted> | undefined> => {
  const bucket = { id: action.bucketId, name: action.bucket }
  return nextPage(action, {
    async named(key) {
      // A key is the first of those that begin with it.
      const { objects } = await versions.deletedObjects({ bucket, prefix: key, limit: 1 })
      return objects.filter((found) => found.key === key)
    },
    async listed(request) {
      const { objects, isTruncated } = await versions.deletedObjects(request)
      return { items: objects, isTruncated }
    },
    keyOf: ({ key }) => key,
  })
}

interface Lookup<Item> {
  named(key: string): Promise<readonly Item[]>
  listed(request: {
    readonly bucket: { readonly id: number; readonly name: string }
    readonly prefix: string
    readonly after: string
    readonly limit: number
  }): Promise<{ readonly items: readonly Item[]; readonly isTruncated: boolean }>
  keyOf(item: Item): string
}

/** Neighbouring keys are one page. */
async function nextPage<Item>(
  { bucketId, bucket, targets, targetAt, afterKey }: Place,
  { named, listed, keyOf }: Lookup<Item>,
): Promise<Page<Item> | undefined> {
  const target = targets[targetAt]
  if (target === undefined) return undefined
  if ('key' in target) {
    const items: Item[] = []
    let at = targetAt
    for (let next = targets[at]; next && 'key' in next && at < targetAt + pageSize; next = targets[++at]) {
      items.push(...(await named(next.key)))
    }
    return { items, targetAt: at, afterKey: '' }
  }
  const { prefix } = target
  const { items, isTruncated } = await listed({ bucket: { id: bucketId, name: bucket }, prefix, after: afterKey, limit: pageSize })
  const last = items.at(-1)
  return isTruncated && last !== undefined ? { items, targetAt, afterKey: keyOf(last) } : { items, targetAt: targetAt + 1, afterKey: '' }
}
