/** The replica map of buckets: nodes and their verdicts. Pure. */
import type { Answer, HealthStatus, Tone } from '@svc/ui-kit'
import { byRisk, worstFirst } from '../risk/health-policy.ts'
import type { LaneNode, LaneSet, LanesData } from './lanes-policy.ts'

export type BucketDetail = Answer<'GET /buckets/:name'>
export type DataSet = BucketDetail['data_sets'][number]

/** How verdicts look, from the kit. */
export interface HealthLooks {
  readonly tones: Readonly<Record<HealthStatus, Tone>>
  readonly words: Readonly<Record<HealthStatus, string>>
}

/** The map of the overview reads the details of this many buckets. */
export const mappedMax = 8

/** Buckets for the map of the overview: the worst first, then by name. */
export const toMapped = (buckets: Answer<'GET /buckets'>): readonly string[] =>
  byRisk(buckets)
    .slice(0, mappedMax)
    .map(({ name }) => name)

const worstOf = (sets: readonly DataSet[]): HealthStatus =>
  worstFirst.find((status) => sets.some(({ storage_health }) => storage_health.status === status)) ?? 'unknown'

export function toLanes(buckets: readonly BucketDetail[], looks: HealthLooks): LanesData {
  const toNode = (id: string, label: string, status: HealthStatus, more = ''): LaneNode => ({
    id,
    label,
    tone: looks.tones[status],
    state: `${looks.words[status]}${more}`,
  })
  const sets = buckets.flatMap(({ data_sets }) => [...data_sets].sort(bySlot))
  const providers = [...new Set(sets.map(({ provider_id }) => provider_id))].sort(byNumber)
  return {
    buckets: buckets.map(({ name, storage_health: { status } }) => toNode(name, name, status)),
    sets: sets.map((set) => toSet(set, toNode)),
    providers: providers.map((id) => toProvider(id, setsAt(sets, id), toNode)),
  }
}

/** Current generations only: data sets of the past do not speak for their provider. */
const setsAt = (sets: readonly DataSet[], provider: string): readonly DataSet[] => {
  const own = sets.filter(({ provider_id }) => provider_id === provider)
  const current = own.filter(({ is_current }) => is_current)
  return current.length > 0 ? current : own
}

type ToNode = (id: string, label: string, status: HealthStatus, more?: string) => LaneNode

function toSet(set: DataSet, toNode: ToNode): LaneSet {
  const { status } = set.storage_health
  const more = set.status === 'ready' || set.status === 'retired' ? '' : `, ${set.status}`
  return {
    ...toNode(String(set.id), set.data_set_id === undefined ? 'New data set' : `Data set ${set.data_set_id}`, status, more),
    bucket: set.bucket_name,
    provider: set.provider_id,
    note: `Replica ${set.copy_index + 1}`,
    retired: !set.is_current,
  }
}

const toProvider = (id: string, sets: readonly DataSet[], toNode: ToNode): LaneNode => {
  const status = worstOf(sets)
  return toNode(id, `Provider ${id}`, status, sets.length === 1 ? ', 1 data set' : `, ${sets.length} data sets`)
}

const bySlot = (a: DataSet, b: DataSet): number => a.copy_index - b.copy_index || b.generation - a.generation
/** Ids of providers are decimal text. */
const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)
