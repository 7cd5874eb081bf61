/** Address of a list of health ↔ query of the API and words of its pages. Pure. */
import type { HealthStatus } from '@svc/ui-kit'

export const rowsPerPage = 25

const statuses: readonly HealthStatus[] = ['available', 'degraded', 'unavailable', 'unknown']

/** Is undefined for a text that is no status. */
export const readStatus = (text: string): HealthStatus | undefined => statuses.find((status) => status === text)

/** Ids are decimal text of the address; anything else filters nothing. */
export const readId = (text: string): string | undefined => (/^\d{1,78}$/.test(text) ? text : undefined)

export const readSwitch = (text: string): 'true' | 'false' | undefined => (text === 'true' || text === 'false' ? text : undefined)

/** Rows before the page; 0 for a text that is no such number. */
export const readOffset = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0)

interface ListPage {
  readonly items: readonly unknown[]
  readonly total: number
  readonly offset: number
}

interface Paging {
  readonly isFirst: boolean
  /** `26–50 of 120` */
  readonly text: string
  /** Offsets as members of the address; undefined where there is no such page. */
  readonly next: string | undefined
  readonly previous: string | undefined
}

export function pagingOf({ items, total, offset }: ListPage): Paging {
  const end = offset + items.length
  const before = Math.max(0, offset - rowsPerPage)
  return {
    isFirst: offset === 0,
    text: items.length === 0 ? `0 of ${total}` : `${offset + 1}–${end} of ${total}`,
    next: end < total && items.length > 0 ? String(end) : undefined,
    previous: offset === 0 ? undefined : before === 0 ? '' : String(before),
  }
}

interface Signal {
  readonly status: HealthStatus
  readonly reason_codes: readonly string[]
  readonly freshness: { readonly stale: boolean }
}

/** A signal as the badge of the kit takes it. */
export const toHealth = ({ status, reason_codes, freshness }: Signal) => ({ status, reason_codes, stale: freshness.stale })
