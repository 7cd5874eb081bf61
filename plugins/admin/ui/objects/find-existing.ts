import { call } from '@svc/ui-kit'

/** Most keys that are looked up before an upload. */
export const comparedMax = 200
const requestsMax = 4

/** Finds which of the first keys have an object, to which an upload adds a version. */
export async function findExisting(bucket: string, keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>()
  const waiting = keys.slice(0, comparedMax)
  const work = async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      const page = await call('GET /buckets/:name/objects', { params: { name: bucket }, query: { prefix: key, limit: '1' } }, { signal })
      found.set(key, page.objects[0]?.key === key)
    }
  }
  await Promise.all(Array.from({ length: requestsMax }, work))
  return found
}
