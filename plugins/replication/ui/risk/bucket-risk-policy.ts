/** Buckets by the health of their storage. Pure. */
import type { Answer } from '@svc/ui-kit'

type Bucket = Answer<'GET /buckets'>[number]
type Health = Bucket['storage_health']

const ranks: Readonly<Record<Health['status'], number>> = { unavailable: 0, degraded: 1, unknown: 2, available: 3 }

/** The worst first, then by name. */
export const byRisk = (buckets: readonly Bucket[]): readonly Bucket[] =>
  [...buckets].sort((a, b) => ranks[a.storage_health.status] - ranks[b.storage_health.status] || (a.name < b.name ? -1 : 1))
