/** What an operator has to look at, from the overview. Pure. */
import { type Answer, formatPlural, type IconName, type Tone } from '@svc/ui-kit'

type Overview = Answer<'GET /overview'>

export interface Concern {
  readonly id: string
  readonly tone: Tone
  readonly icon: IconName
  readonly text: string
  /** The page that shows it, filtered. */
  readonly to: string
}

/** The worst first. */
export function findConcerns({ objects, tasks, workers, cache, chain_storage_health }: Overview): readonly Concern[] {
  const { needs_attention, unavailable, storage_confirmations } = objects.attention
  const stuck = Object.entries(workers).flatMap(([name, works]) => (works ? [] : [name]))
  const providers = badOf(chain_storage_health.providers)
  const dataSets = badOf(chain_storage_health.data_sets)
  return [
    concern(unavailable, {
      id: 'unavailable',
      tone: 'danger',
      icon: 'cloud-off',
      text: `${formatPlural(unavailable, 'object')} without readable bytes`,
      to: '/storage-risk',
    }),
    concern(stuck.length, {
      id: 'workers',
      tone: 'danger',
      icon: 'cpu',
      text: `Background work makes no progress: ${stuck.join(', ')}`,
      to: '/tasks?status=running',
    }),
    concern(needs_attention, {
      id: 'objects',
      tone: 'danger',
      icon: 'file-x',
      text: `${formatPlural(needs_attention, 'object')} could not be stored`,
      to: '/tasks?status=failed',
    }),
    concern(tasks.attention.failed, {
      id: 'tasks',
      tone: 'danger',
      icon: 'circle-x',
      text: `${formatPlural(tasks.attention.failed, 'task')} failed`,
      to: '/tasks?status=failed',
    }),
    concern(storage_confirmations, {
      id: 'confirmations',
      tone: 'warning',
      icon: 'hourglass',
      text: `${formatPlural(storage_confirmations, 'storage confirmation')} waiting for a decision`,
      to: '/storage-confirmations',
    }),
    concern(dataSets, {
      id: 'data-sets',
      tone: 'warning',
      icon: 'database',
      text: `${formatPlural(dataSets, 'data set')} not available`,
      to: '/storage-risk',
    }),
    concern(providers, {
      id: 'providers',
      tone: 'warning',
      icon: 'server-off',
      text: `${formatPlural(providers, 'provider')} not available`,
      to: '/storage-risk',
    }),
    concern(cache.eviction_paused ? 1 : 0, {
      id: 'eviction',
      tone: 'warning',
      icon: 'hard-drive',
      text: 'Eviction is paused: the times of access to the cache could not be recorded',
      to: '/doctor',
    }),
  ].filter((found) => found !== undefined)
}

const concern = (count: number, found: Concern): Concern | undefined => (count > 0 ? found : undefined)

const badOf = (health: Overview['chain_storage_health']['providers']): number =>
  health ? health.summary.degraded + health.summary.unavailable : 0
