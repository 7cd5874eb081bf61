/** What an operator has to look at, from the overview. Pure. */
import type { Answer, IconName, Tone } from '@svc/ui-kit'

type Overview = Answer<'GET /overview'>
type Health = Overview['chain_storage_health']

interface Concern {
  readonly id: string
  readonly tone: Tone
  readonly icon: IconName
  readonly count: number
  /** After the count: for one, and for more. */
  readonly words: readonly [one: string, more: string]
  /** The page that shows it, filtered. */
  readonly to: string
}

/** The worst first; nothing with a count of zero. */
export function findConcerns({ objects, tasks, workers, cache, chain_storage_health: health }: Overview): readonly Concern[] {
  const { unavailable, storage_confirmations, damaged_files = 0 } = objects.attention
  const failedTasks = '/tasks?status=failed'
  const all: readonly Concern[] = [
    {
      id: 'unavailable',
      tone: 'danger',
      icon: 'cloud-off',
      count: unavailable,
      words: ['object without readable bytes', 'objects without readable bytes'],
      // The page has no states without an observer.
      to: health.providers ? '/storage-risk' : '/buckets',
    },
    {
      id: 'damaged-files',
      tone: 'danger',
      icon: 'hard-drive',
      count: damaged_files,
      words: ['cached file is missing or damaged', 'cached files are missing or damaged'],
      to: '/doctor',
    },
    {
      id: 'workers',
      tone: 'danger',
      icon: 'cpu',
      count: stuckOf(workers),
      words: ['worker without progress', 'workers without progress'],
      to: '/tasks?status=running',
    },
    ...stuckConcerns(objects),
    {
      id: 'tasks',
      tone: 'danger',
      icon: 'circle-x',
      count: tasks.attention.failed,
      words: ['task failed', 'tasks failed'],
      to: failedTasks,
    },
    {
      id: 'confirmations',
      tone: 'warning',
      icon: 'hourglass',
      count: storage_confirmations,
      words: ['storage confirmation waits for a decision', 'storage confirmations wait for a decision'],
      to: '/storage-confirmations',
    },
    {
      id: 'data-sets',
      tone: 'warning',
      icon: 'database',
      count: badOf(health.data_sets),
      words: ['data set is degraded or unavailable', 'data sets are degraded or unavailable'],
      to: '/data-sets',
    },
    {
      id: 'providers',
      tone: 'warning',
      icon: 'server-off',
      count: badOf(health.providers),
      words: ['provider is degraded or unavailable', 'providers are degraded or unavailable'],
      to: '/providers',
    },
    {
      id: 'eviction',
      tone: 'warning',
      icon: 'hard-drive',
      count: cache.eviction_paused ? 1 : 0,
      words: ['cache without eviction: times of access could not be recorded', ''],
      to: '/doctor',
    },
  ]
  return all.filter(({ count }) => count > 0)
}

/** What no task works on. The page of objects below their target says why, and retries them; the doctor lists the data sets. */
const stuckConcerns = ({ attention, below_target }: Overview['objects']): readonly Concern[] => [
  {
    id: 'stuck',
    tone: 'danger',
    icon: 'layers',
    count: below_target?.stuck ?? 0,
    words: ['object has too few copies, and nothing works on it', 'objects have too few copies, and nothing works on them'],
    to: '/below-target?work=stuck',
  },
  {
    id: 'stuck-data-sets',
    tone: 'danger',
    icon: 'database',
    count: attention.stuck_data_sets,
    words: ['data set waits for a task that does not exist', 'data sets wait for tasks that do not exist'],
    to: '/doctor',
  },
]

const stuckOf = (workers: Overview['workers']): number => Object.values(workers).filter((works) => !works).length

const badOf = (part: Health['providers']): number => (part ? part.summary.degraded + part.summary.unavailable : 0)

/** Returns undefined when nothing was observed, which is no state. */
export function judgeHealth({ level, data_sets, providers }: Health): { readonly tone: Tone; readonly text: string } | undefined {
  if (level === 'ok') return data_sets || providers ? { tone: 'success', text: 'Healthy' } : undefined
  if (level === 'blocking') return { tone: 'danger', text: 'Storage unavailable' }
  return badOf(data_sets) + badOf(providers) > 0 ? { tone: 'warning', text: 'Degraded' } : undefined
}
