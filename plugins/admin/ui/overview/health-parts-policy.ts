/** Parts of the bars of the overview. Pure. */
import type { Answer, BarPart } from '@svc/ui-kit'

type Overview = Answer<'GET /overview'>
type States = Overview['objects']['by_state']
type Summary = NonNullable<Overview['chain_storage_health']['providers']>['summary']

/** Sorts the states as an object passes through them; states without objects are left out. */
export const stateParts = (states: States): readonly BarPart[] =>
  shown([
    { label: 'Stored', value: states.stored, color: 'success' },
    { label: 'Replicating', value: states.replicating, color: 'c2' },
    { label: 'Committing', value: states.committing, color: 'c1' },
    { label: 'Uploading', value: states.uploading, color: 'info' },
    { label: 'Cached', value: states.cached, color: 'neutral' },
    { label: 'Failed', value: states.failed, color: 'danger' },
  ])

export const healthParts = (summary: Summary): readonly BarPart[] =>
  shown([
    { label: 'Available', value: summary.available, color: 'success' },
    { label: 'Degraded', value: summary.degraded, color: 'warning' },
    { label: 'Unavailable', value: summary.unavailable, color: 'danger' },
    { label: 'Unknown', value: summary.unknown, color: 'neutral' },
  ])

const shown = (parts: readonly (BarPart & { readonly value: number })[]): readonly BarPart[] => parts.filter(({ value }) => value > 0)
