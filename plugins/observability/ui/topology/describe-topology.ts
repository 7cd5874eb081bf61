/** The topology as lanes: buckets, the data sets of their replica slots, providers. Pure. */
import type { Answer, HealthStatus, Input, Tone } from '@svc/ui-kit'
import { type DataSet, hasEnded, localWords, nameOfSet } from '../data-sets/describe-data-set.ts'
import { readId, readStatus } from '../health/list-query-policy.ts'
import { nameOf, type Provider } from '../providers/describe-provider.ts'
import type { LaneNode, LaneSet, LanesData } from './lanes-policy.ts'

export type Bucket = Answer<'GET /buckets'>[number]

/** Most rows of one answer. */
export const setsMax = 500

/** How verdicts look, from the kit. */
interface HealthLooks {
  readonly tones: Readonly<Record<HealthStatus, Tone>>
  readonly words: Readonly<Record<HealthStatus, string>>
}

export interface TopologyFilter {
  readonly bucket?: string | undefined
  readonly provider?: string | undefined
  readonly status?: HealthStatus | undefined
  /** The answer has not all data sets: buckets without one in it say nothing. */
  readonly isPartial?: boolean | undefined
}

export const readFilter = (search: URLSearchParams): TopologyFilter => ({
  bucket: search.get('bucket') || undefined,
  provider: readId(search.get('provider') ?? ''),
  status: readStatus(search.get('status') ?? ''),
})

export const topologyQuery = ({ bucket, provider, status }: TopologyFilter): Input<'GET /observability/data-sets'>['query'] => ({
  limit: String(setsMax),
  bucket,
  provider_id: provider,
  status,
})

/** The answer has not all data sets of its filter. */
export const isPartial = ({ total, items }: { readonly total: number; readonly items: readonly unknown[] }): boolean => total > items.length

const worstFirst: readonly HealthStatus[] = ['unavailable', 'degraded', 'unknown', 'available']
const rank = ({ storage_health }: Bucket) => worstFirst.indexOf(storage_health.status)

const byRisk = (buckets: readonly Bucket[]): readonly Bucket[] =>
  [...buckets].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))

interface Topology {
  readonly buckets: readonly Bucket[]
  readonly sets: readonly DataSet[]
  /** Providers with a data set of ours. */
  readonly providers: readonly Provider[]
}

/** Buckets by risk. With a filter by provider or state, only those with a data set that matches. */
export function toLanes({ buckets, sets, providers }: Topology, filter: TopologyFilter, looks: HealthLooks): LanesData {
  const toNode = (id: string, label: string, status: HealthStatus, more = ''): LaneNode => ({
    id,
    label,
    tone: looks.tones[status],
    state: `${looks.words[status]}${more}`,
  })
  const used = new Set(sets.map(({ facts }) => facts.bucket_name))
  const isNarrow = filter.provider !== undefined || filter.status !== undefined || filter.isPartial
  const shown = byRisk(buckets).filter(
    ({ name }) => (filter.bucket === undefined || name === filter.bucket) && (!isNarrow || used.has(name)),
  )
  const names = new Set(shown.map(({ name }) => name))
  const drawn = sets.filter(({ facts }) => names.has(facts.bucket_name)).sort(bySlot)
  const known = new Map(providers.map((provider) => [provider.facts.provider_id, provider]))
  const ids = [...new Set(drawn.map(({ facts }) => facts.provider_id))].sort(byNumber)
  return {
    buckets: shown.map(({ name, storage_health }) => toNode(name, name, storage_health.status)),
    sets: drawn.map((set) => toSet(set, toNode)),
    providers: ids.map((id) => toProvider(id, known.get(id), toNode)),
  }
}

type ToNode = (id: string, label: string, status: HealthStatus, more?: string) => LaneNode

function toSet(set: DataSet, toNode: ToNode): LaneSet {
  const { facts, signal } = set
  const more = facts.local_status === 'ready' ? '' : `, ${localWords[facts.local_status].toLowerCase()}`
  const node = toNode(String(facts.local_data_set_id), nameOfSet(facts), signal.status, more)
  return {
    ...node,
    ...(hasEnded(set) && { tone: 'neutral' as const, state: localWords[facts.local_status] }),
    bucket: facts.bucket_name,
    provider: facts.provider_id,
    note: `Replica ${facts.copy_index + 1}`,
    retired: !facts.is_current,
  }
}

/** Its own health, which is not that of the data sets there. */
const toProvider = (id: string, provider: Provider | undefined, toNode: ToNode): LaneNode =>
  provider ? toNode(id, nameOf(provider), provider.signal.status) : toNode(id, `Provider ${id}`, 'unknown')

const bySlot = ({ facts: a }: DataSet, { facts: b }: DataSet): number => a.copy_index - b.copy_index || b.generation - a.generation

/** Ids of providers are decimal text. */
const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

/** Kind and id of a node of the address, such as `set:7`. */
export function readNode(text: string): { readonly kind: 'bucket' | 'set' | 'provider'; readonly id: string } | undefined {
  const [, kind, id] = /^(bucket|set|provider):(.+)$/s.exec(text) ?? []
  return kind === undefined || id === undefined ? undefined : { kind: kind as 'bucket' | 'set' | 'provider', id }
}
