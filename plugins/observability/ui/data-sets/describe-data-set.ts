/** Words and figures of data sets. Pure. */
import { type Answer, formatCount, type Input, type Tone } from '@svc/ui-kit'
import { readId, readOffset, readStatus, readSwitch, rowsPerPage } from '../health/list-query-policy.ts'

export type DataSetPage = Answer<'GET /observability/data-sets'>
export type DataSet = DataSetPage['items'][number]
type Facts = DataSet['facts']

export function dataSetsQuery(search: URLSearchParams): Input<'GET /observability/data-sets'>['query'] {
  return {
    limit: String(rowsPerPage),
    offset: String(readOffset(search.get('offset') ?? '')),
    status: readStatus(search.get('status') ?? ''),
    current: readSwitch(search.get('current') ?? ''),
    provider_id: readId(search.get('provider') ?? ''),
    bucket: search.get('bucket') || undefined,
    history: 'true',
  }
}

export const nameOfSet = ({ chain_data_set_id }: Pick<Facts, 'chain_data_set_id'>): string =>
  chain_data_set_id === undefined ? 'New data set' : `Data set ${chain_data_set_id}`

export const nameOfProvider = ({ facts, provider_identity }: Pick<DataSet, 'facts' | 'provider_identity'>): string =>
  provider_identity?.name ?? `Provider ${facts.provider_id}`

/** `Replica 1`, with the generation when there was one before. */
export const slotText = ({ copy_index, generation, is_current }: Pick<Facts, 'copy_index' | 'generation' | 'is_current'>): string =>
  `Replica ${copy_index + 1}${generation > 1 || !is_current ? `, generation ${generation}` : ''}`

/** `12`, or `12 on chain, 11 recorded` when they differ. Nodes cannot count the pieces of a large data set. */
export function piecesText({ active_piece_count: chain, recorded_piece_count: ours }: Facts): string {
  if (chain === undefined) return `${formatCount(ours)} recorded`
  return chain === ours ? formatCount(ours) : `${formatCount(chain)} on chain, ${formatCount(ours)} recorded`
}

interface Look {
  readonly word: string
  readonly tone: Tone
}

const chainLooks: Readonly<Record<NonNullable<Facts['chain_state']>, Look>> = {
  live: { word: 'Live', tone: 'success' },
  terminated: { word: 'Ending', tone: 'warning' },
  ended: { word: 'Ended', tone: 'neutral' },
  deleted: { word: 'Deleted', tone: 'neutral' },
  absent: { word: 'Absent', tone: 'danger' },
  unmanaged: { word: 'Not managed', tone: 'danger' },
}

export const chainLook = ({ chain_state }: Pick<Facts, 'chain_state'>): Look =>
  chain_state === undefined ? { word: 'Not read', tone: 'neutral' } : chainLooks[chain_state]

export const localWords: Readonly<Record<Facts['local_status'], string>> = {
  pending: 'Planned',
  creating: 'Being created',
  ready: 'Takes pieces',
  failed: 'Failed',
  unavailable: 'Takes no pieces',
  draining: 'Serves reads only',
  retired: 'Retired',
}

/** It ended as planned, and nothing of it has to be available. */
export const hasEnded = ({ facts, signal }: DataSet): boolean => facts.local_status === 'retired' && signal.status === 'available'

const provingLooks: Readonly<Record<NonNullable<Facts['proving']>['state'], Look>> = {
  not_started: { word: 'Not started', tone: 'neutral' },
  proven: { word: 'Proven', tone: 'success' },
  due: { word: 'Proof due', tone: 'info' },
  overdue: { word: 'Overdue', tone: 'danger' },
}

export const provingLook = (proving: Facts['proving']): Look =>
  proving === undefined ? { word: 'Not read', tone: 'neutral' } : provingLooks[proving.state]

const denials: Readonly<Record<NonNullable<Facts['standing']['reason']>, string>> = {
  proving_missed: 'No copy on it counts as durable until the next proof.',
  service_ended: 'No copy on it counts as durable: its service has ended.',
  not_on_chain: 'No copy on it counts as durable: the chain does not have it.',
}

/** Whether the copies on the data set count; undefined while all do. */
export function standingText({ state, reason, denied_copies }: Facts['standing']): string | undefined {
  if (state === 'denied') return reason === undefined ? 'No copy on it counts as durable.' : denials[reason]
  if (denied_copies === 0) return undefined
  return `${formatCount(denied_copies)} of its copies ${denied_copies === 1 ? 'does' : 'do'} not count as durable: the provider does not serve the bytes.`
}
