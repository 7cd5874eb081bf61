/** Words and figures of providers. Pure. */
import { type Answer, formatBytes, formatPercent, type Input } from '@svc/ui-kit'
import { readOffset, readStatus, readSwitch, rowsPerPage } from '../health/list-query-policy.ts'

export type ProviderPage = Answer<'GET /observability/providers'>
export type Provider = ProviderPage['items'][number]
type Scorecard = NonNullable<Provider['scorecard']>
type Transfer = NonNullable<Scorecard['upload']>

/** The providers with a data set of this service, for the lists and the topology. */
export const usedProviders = { query: { used: 'true', limit: '500' } } as const

export function providersQuery(search: URLSearchParams): Input<'GET /observability/providers'>['query'] {
  const text = search.get('search')?.trim()
  return {
    limit: String(rowsPerPage),
    offset: String(readOffset(search.get('offset') ?? '')),
    status: readStatus(search.get('status') ?? ''),
    used: readSwitch(search.get('used') ?? ''),
    search: text ? text.slice(0, 200) : undefined,
  }
}

/** Its registered name, which anybody may choose; else its id. */
export const nameOf = ({ facts, provider_identity }: Pick<Provider, 'facts' | 'provider_identity'>): string =>
  provider_identity?.name ?? `Provider ${facts.provider_id}`

export const rateOf = (transfer: Transfer | undefined): string | undefined =>
  transfer?.bytes_per_second === undefined ? undefined : `${formatBytes(transfer.bytes_per_second)}/s`

/** `98%`: of recent calls, with decaying weights. */
export const successOf = ({ success_share }: Scorecard): string => formatPercent(Math.round(success_share * 1000), 1000)

/** Below this share the service ranks a provider behind the others. */
const failingShare = 0.8

export const successTone = ({ success_share }: Scorecard) =>
  success_share < failingShare ? 'danger' : success_share < 0.95 ? 'warning' : undefined

const criteria: Readonly<Record<string, string>> = {
  healthy: 'healthier than the next one',
  larger_pieces: 'takes larger pieces',
  preferred: 'preferred by a plugin',
  endorsed: 'endorsed by the storage service',
  explored: 'not measured yet, and due for a try',
  fast: 'fastest uploads',
  fewest_data_sets: 'fewest data sets of ours',
  lowest_latency: 'lowest latency',
  lowest_id: 'equal to the next one',
  only_choice: 'the only choice',
}

/** Why the service chose the provider for a data set. */
export const choiceWords = (reason: string): string => criteria[reason] ?? reason.replaceAll('_', ' ')
