import { formatTime } from '#kernel'
import type { ProviderScore, StoredProvider, TransferScore } from '#plugins/providers'
import type { MissedProofs } from '../health/missed-proofs.ts'
import type { ProviderFindings } from './judge-provider-policy.ts'
import type { ProviderHealth, ProviderScorecard } from './provider-api.ts'

type Described = Pick<ProviderHealth, 'facts' | 'provider_identity' | 'scorecard'>

/** The filters of the list that are not by health. */
interface ProviderFilter {
  readonly provider_id?: string | undefined
  readonly search?: string | undefined
  readonly used?: 'true' | 'false' | undefined
}

export function isWanted({ provider, missed }: ProviderFindings, { provider_id, search = '', used }: ProviderFilter): boolean {
  const { providerId, name, location } = provider
  const texts = [providerId, name, location ?? '', shownUrl(provider.serviceUrl) ?? '']
  return (
    (provider_id === undefined || providerId === provider_id) &&
    (used === undefined || (used === 'true') === (missed !== undefined)) &&
    texts.some((text) => text.toLowerCase().includes(search.trim().toLowerCase()))
  )
}

export function describeProvider({ provider, score, missed }: ProviderFindings): Described {
  const { providerId, isActive, hasPdp, isApproved, isEndorsed, pingMs } = provider
  const serviceUrl = shownUrl(provider.serviceUrl)
  return {
    facts: {
      provider_id: providerId,
      active: isActive,
      ...(hasPdp === null ? {} : { has_pdp: hasPdp }),
      ...(serviceUrl === undefined ? {} : { service_url: serviceUrl }),
      health_status: reachability(provider),
      approved: isApproved,
      endorsed: isEndorsed,
      ...(pingMs === null ? {} : { ping_ms: pingMs }),
      data_sets: missed?.used ?? 0,
    },
    provider_identity: describeIdentity(provider),
    ...(score === undefined ? {} : { scorecard: describeScore(score, missed) }),
  }
}

function reachability({ pingedAtMs, pingMs }: StoredProvider): 'reachable' | 'unreachable' | 'n/a' {
  if (pingedAtMs === null) return 'n/a'
  return pingMs === null ? 'unreachable' : 'reachable'
}

function describeIdentity(provider: StoredProvider): NonNullable<ProviderHealth['provider_identity']> {
  const { providerId, name, description, address, payee, location, capabilities } = provider
  const serviceUrl = shownUrl(provider.serviceUrl)
  return {
    registry_provider_id: providerId,
    ...(name === '' ? {} : { name }),
    ...(description === null ? {} : { description }),
    service_provider_address: address,
    payee_address: payee,
    ...(serviceUrl === undefined ? {} : { service_url: serviceUrl }),
    ...(location === null ? {} : { location }),
    ...(capabilities === null ? {} : { extra_capabilities: JSON.parse(capabilities) as Record<string, string> }),
  }
}

/** Leaves out user, password and query, which a URL of the registry may contain. */
function shownUrl(serviceUrl: string | null): string | undefined {
  if (serviceUrl === null || !URL.canParse(serviceUrl)) return undefined
  if (!/[@?#]/.test(serviceUrl)) return serviceUrl
  const url = new URL(serviceUrl)
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return url.href
}

const sharePrecision = 1000

function describeScore(score: ProviderScore, missed: MissedProofs | undefined): ProviderScorecard {
  const { upload, pull, read, lastFailure } = score
  return {
    success_share: Math.round(score.successShare * sharePrecision) / sharePrecision,
    calls: score.calls,
    failed: score.failed,
    measured_since: formatTime(score.sinceMs),
    ...(upload === undefined ? {} : { upload: describeTransfer(upload) }),
    ...(pull === undefined ? {} : { pull: describeTransfer(pull) }),
    ...(read === undefined ? {} : { read: describeTransfer(read) }),
    ...(lastFailure === undefined
      ? {}
      : { last_failure: { at: formatTime(lastFailure.atMs), call: lastFailure.call, reason: lastFailure.reason } }),
    ...(missed === undefined || missed.dataSets === 0
      ? {}
      : { missed_proofs: { periods: missed.missedPeriods, data_sets: missed.dataSets } }),
  }
}

const describeTransfer = ({ calls, failed, bytesPerSecond, lastAtMs }: TransferScore) => ({
  calls,
  failed,
  ...(bytesPerSecond === undefined ? {} : { bytes_per_second: bytesPerSecond }),
  last_at: formatTime(lastAtMs),
})
