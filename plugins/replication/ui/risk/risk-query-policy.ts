/** Query of the risk page ↔ query of the API. Pure. */
import type { Answer, Input } from '@svc/ui-kit'

export type RiskPage = Answer<'GET /buckets/:name/storage-health/affected-versions'>
export type AffectedVersion = RiskPage['versions'][number]
type RiskQuery = Input<'GET /buckets/:name/storage-health/affected-versions'>['query']

const riskPageSize = 50

/** The marker of a page and the time that all pages share: `stale_before` stays as the first page gave it. */
const markerNames = ['key_marker', 'version_marker', 'created_at_marker', 'stale_before'] as const

/** The API refuses a prefix together with a key: the exact key wins. Markers count only together. */
export function riskQuery(search: URLSearchParams): RiskQuery {
  const [key, prefix, dataSet] = [search.get('key'), search.get('prefix'), search.get('data_set')]
  const markers = markerNames.map((name) => [name, search.get(name)] as const)
  return {
    limit: String(riskPageSize),
    ...(key ? { key } : prefix ? { prefix } : {}),
    ...(dataSet && /^[1-9]\d{0,15}$/.test(dataSet) ? { local_data_set_id: dataSet } : {}),
    ...(markers.every(([, value]) => value) ? Object.fromEntries(markers) : {}),
  }
}

/** Changes of the address that show the next page; undefined on the last one. */
export function nextMarkers(page: RiskPage): Readonly<Record<(typeof markerNames)[number], string>> | undefined {
  const { next_key_marker, next_version_marker, next_created_at_marker, stale_before } = page
  if (!page.has_more || next_key_marker === undefined || next_version_marker === undefined || next_created_at_marker === undefined)
    return undefined
  return { key_marker: next_key_marker, version_marker: next_version_marker, created_at_marker: next_created_at_marker, stale_before }
}

/** Changes of the address that show the first page. */
export const noMarkers = { key_marker: null, version_marker: null, created_at_marker: null, stale_before: null } as const
