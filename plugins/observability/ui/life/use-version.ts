import { useQuery } from '@svc/ui-kit'
import type { Version } from './describe-life.ts'

/** Versions that one request reads; the facts of an older one are not shown. */
export const versionsMax = 1000

/** The version in the history of its key. `of` may read signals and props: they are tracked. */
export function useVersion(of: () => { readonly bucket: string; readonly key: string; readonly versionId: string }) {
  const history = useQuery('GET /buckets/:name/objects/versions', () => {
    const { bucket, key } = of()
    return { params: { name: bucket }, query: { key, limit: String(versionsMax) } }
  })
  const version: Version | undefined = history.data?.versions.find(({ version_id }) => version_id === of().versionId)
  return { history, version }
}
