import { type AdminCall, formatTable } from '#cli'
import type { DataSetHealth, DataSetPage } from '../data-sets/data-set-api.ts'

interface ListFlags {
  readonly status: DataSetHealth['signal']['status'] | undefined
  readonly provider: string | undefined
  readonly bucket: string | undefined
  readonly limit: number | undefined
  readonly offset: number | undefined
}

export type DataSetListCall = AdminCall<unknown, ListFlags>

export const toQuery = ({ status, provider, bucket, limit, offset }: ListFlags) => ({
  ...(status === undefined ? {} : { status }),
  ...(provider === undefined ? {} : { provider_id: provider }),
  ...(bucket === undefined ? {} : { bucket }),
  ...(limit === undefined ? {} : { limit: String(limit) }),
  ...(offset === undefined ? {} : { offset: String(offset) }),
})

export function showDataSets(page: DataSetPage): string {
  const { summary, summary_signal, offset, items, total, last_refresh: round } = page
  const counts = `${summary.available} available, ${summary.degraded} degraded, ${summary.unavailable} unavailable, ${summary.unknown} unknown`
  const checked = summary_signal.freshness.last_checked_at ?? 'never'
  return [
    items.length === 0 ? 'No data sets found.' : formatTable(header, items.map(toRow)),
    '',
    `Total: ${total} data sets (${counts})`,
    `Checked: ${checked}${summary_signal.freshness.stale ? ' (stale: svc admin data-set refresh)' : ''}`,
    ...(round ? [`Last check: ${round.data_sets} data sets with ${round.chain_requests} requests in ${round.duration_ms} ms`] : []),
    ...(offset + items.length < total ? [`More: --offset ${offset + items.length}`] : []),
  ].join('\n')
}

const header = ['id', 'bucket', 'copy', 'provider', 'on chain', 'health', 'reasons', 'pieces', 'last proof', 'next due', 'missed', 'counts']
const missing = '—'

function toRow({ facts, signal }: DataSetHealth): readonly string[] {
  const { proving, standing } = facts
  return [
    String(facts.local_data_set_id),
    facts.bucket_name,
    `${facts.copy_index}.${facts.generation}`,
    facts.provider_id,
    facts.chain_data_set_id ?? missing,
    signal.status,
    signal.reason_codes.join(', ') || missing,
    `${facts.recorded_piece_count}${facts.active_piece_count === undefined ? '' : ` of ${facts.active_piece_count}`}`,
    proving?.last_proven_at ?? missing,
    proving?.next_due_at ?? missing,
    proving === undefined ? missing : `${proving.missed_periods} of ${proving.observed_periods}`,
    standing.state === 'denied' ? `no: ${standing.reason}` : standing.denied_copies > 0 ? `all but ${standing.denied_copies}` : 'yes',
  ]
}
