/** Where the next request to retry goes on, as text. */
import type { WorkPlace } from '../resumption/stuck-works.ts'
import type { SetWork } from '../stuck/stuck-sets-store.ts'

/** No request ends at the first place. */
type LaterPlace = Exclude<WorkPlace, { readonly kind: 'finality' }>

export function formatRetryCursor(place: WorkPlace): string | undefined {
  if (place.kind === 'finality') return undefined
  if (place.kind !== 'store') return `${place.kind}.${place.after}`
  const { bucketId, storeState, id } = place.after
  return `${place.kind}.${bucketId}.${storeState}.${id}`
}

/** @param cursor as the endpoint accepts it */
export function parseRetryCursor(cursor: string): LaterPlace {
  const [kind = '', first = '0', storeState = '', id = '0'] = cursor.split('.')
  return kind === 'store'
    ? { kind, after: { bucketId: Number(first), storeState, id: Number(id) } }
    : { kind: kind as SetWork, after: Number(first) }
}
