import { type AdminCall, formatSize, formatTable, onOneLine } from '#cli'
import type { ProviderHealth, ProviderPage } from '../providers/provider-api.ts'
import type { UploadSpeedTest } from '../speed-tests/speed-test-api.ts'

interface ListFlags {
  readonly status: ProviderHealth['signal']['status'] | undefined
  readonly provider: string | undefined
  readonly limit: number | undefined
  readonly offset: number | undefined
}

export type ProviderListCall = AdminCall<unknown, ListFlags>

export const toQuery = ({ status, provider, limit, offset }: ListFlags) => ({
  ...(status === undefined ? {} : { status }),
  ...(provider === undefined ? {} : { provider_id: provider }),
  ...(limit === undefined ? {} : { limit: String(limit) }),
  ...(offset === undefined ? {} : { offset: String(offset) }),
})

/** The providers' own texts are untrusted: the table keeps only printable characters. */
export function showProviders(page: ProviderPage): string {
  const { summary, summary_signal, offset, items, total } = page
  const counts = `${summary.available} available, ${summary.degraded} degraded, ${summary.unavailable} unavailable, ${summary.unknown} unknown`
  const checked = summary_signal.freshness.last_checked_at ?? 'never'
  return [
    items.length === 0 ? 'No providers found.' : formatTable(header, items.map(toRow)),
    '',
    `Total: ${total} providers (${counts})`,
    `Checked: ${checked}${summary_signal.freshness.stale ? ' (stale: svc admin provider refresh)' : ''}`,
    ...(offset + items.length < total ? [`More: --offset ${offset + items.length}`] : []),
  ].join('\n')
}

const header = ['id', 'name', 'health', 'reasons', 'ping', 'upload', 'read', 'success', 'speed test']
const missing = '—'

function toRow({ facts, signal, provider_identity, scorecard, upload_speed_test }: ProviderHealth): readonly string[] {
  return [
    facts.provider_id,
    onOneLine(provider_identity?.name ?? '') || missing,
    signal.status,
    signal.reason_codes.join(', ') || missing,
    facts.ping_ms === undefined ? missing : `${facts.ping_ms} ms`,
    rate(scorecard?.upload?.bytes_per_second),
    rate(scorecard?.read?.bytes_per_second),
    scorecard === undefined ? missing : `${Math.round(scorecard.success_share * 100)} % of ${scorecard.calls}`,
    showSpeedTest(upload_speed_test),
  ]
}

function showSpeedTest(test: UploadSpeedTest | undefined): string {
  if (test === undefined) return missing
  if (test.state === 'succeeded') return rate(test.bytes_per_second)
  return test.state === 'failed' ? `failed: ${test.failure_code ?? ''}` : test.state
}

const rate = (bytesPerSecond: number | undefined): string => (bytesPerSecond === undefined ? missing : `${formatSize(bytesPerSecond)}/s`)
