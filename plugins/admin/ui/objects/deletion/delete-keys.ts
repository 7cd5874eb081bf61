/** Deletion of many objects: the Admin API deletes one key at a time. */
import { ApiError, call } from '@svc/ui-kit'
import { isFolderId, textOfId } from '../row-ids.ts'

export interface KeyResult {
  readonly key: string
  /** Absent: a delete marker was created. */
  readonly problem?: string
}

/** Most keys of one deletion. */
export const deletedMax = 5000
const requestsMax = 3
const pageSize = '1000'

/** The keys of selected rows, with all keys in selected folders. */
export async function collectKeys(
  bucket: string,
  rowIds: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly keys: readonly string[]; readonly isCut: boolean }> {
  const keys = new Set<string>()
  for (const id of rowIds) {
    if (!isFolderId(id)) keys.add(textOfId(id))
    else {
      for await (const key of keysBelow(bucket, textOfId(id), signal)) {
        keys.add(key)
        if (keys.size > deletedMax) break
      }
    }
    if (keys.size > deletedMax) return { keys: [...keys].slice(0, deletedMax), isCut: true }
  }
  return { keys: [...keys], isCut: false }
}

async function* keysBelow(bucket: string, prefix: string, signal: AbortSignal): AsyncGenerator<string> {
  let after: string | undefined
  do {
    const query = { prefix, limit: pageSize, ...(after === undefined ? {} : { after }) }
    const page = await call('GET /buckets/:name/objects', { params: { name: bucket }, query }, { signal })
    for (const { key } of page.objects) yield key
    after = page.has_more ? page.next_marker : undefined
  } while (after !== undefined)
}

interface DeleteOptions {
  readonly signal: AbortSignal
  readonly report: (result: KeyResult) => void
}

/** Creates a delete marker for each key, three at a time. Ends early when the signal aborts. */
export async function deleteKeys(bucket: string, keys: readonly string[], { signal, report }: DeleteOptions): Promise<void> {
  const waiting = [...keys].reverse()
  const work = async () => {
    for (let key = waiting.pop(); key !== undefined && !signal.aborted; key = waiting.pop()) report(await deleteKey(bucket, key))
  }
  await Promise.all(Array.from({ length: requestsMax }, work))
}

async function deleteKey(name: string, key: string): Promise<KeyResult> {
  try {
    await call('DELETE /buckets/:name/objects', { params: { name }, query: { key } })
    return { key }
  } catch (error) {
    if (error instanceof ApiError) return { key, problem: error.message }
    throw error
  }
}
