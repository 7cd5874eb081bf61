import { call } from '@svc/ui-kit'

/** Most keys that are looked up before an upload. */
export const comparedMax = 200
const requestsMax = 4

/** Those of the first keys that are objects already: an upload adds a version to them. */
export async function findExisting(bucket: string, keys: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const waiting = keys.slice(0, comparedMax)
  const work = async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      const page = await call('GET /buckets/:name/objects', { params: { name: bucket }, query: { prefix: key, limit: '1' } }, { signal })
      if (page.objects[0]?.key === key) found.add(key)
    }
  }
  await Promise.all(Array.from({ length: requestsMax }, work))
  return found
}
