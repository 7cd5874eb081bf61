import { component$ } from '@builder.io/qwik'
import { type Answer, Card, formatPlural, Icon, type IconName, Link, type Tone, toneText } from '@svc/ui-kit'

interface Concern {
  readonly tone: Tone
  readonly icon: IconName
  readonly text: string
  readonly to: string
}

/** What an operator has to look at; one quiet line when that is nothing. */
export const AttentionList = component$<{ overview: Answer<'GET /overview'> | undefined }>(({ overview }) => {
  if (!overview) return null
  const concerns = findConcerns(overview)
  if (concerns.length === 0) {
    return (
      <p class="flex items-center gap-3 rounded-lg border bg-panel px-4 py-3 text-sm">
        <Icon name="circle-check" size={18} class="text-success" />
        <span>
          <strong class="font-semibold">Nothing needs your attention.</strong>{' '}
          <span class="text-muted">No object, task, copy or worker waits for an operator.</span>
        </span>
      </p>
    )
  }
  return (
    <Card title="Needs attention" note={formatPlural(concerns.length, 'entry', 'entries')} flush>
      <ul class="divide-y border-t">
        {concerns.map(({ tone, icon, text, to }) => (
          <li key={text}>
            <Link to={to} class="kit-ease flex items-center gap-3 px-4 py-2.5 text-sm hover:bg-sunken">
              <Icon name={icon} class={toneText[tone]} />
              <span class="min-w-0 flex-1">{text}</span>
              <Icon name="chevron-right" class="text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
})

function findConcerns({ objects, tasks, workers }: Answer<'GET /overview'>): readonly Concern[] {
  const { needs_attention, unavailable, storage_confirmations } = objects.attention
  const stuck = Object.entries(workers)
    .filter(([, works]) => !works)
    .map(([name]) => name)
  const all: readonly (Concern & { readonly count: number })[] = [
    {
      count: unavailable,
      tone: 'danger',
      icon: 'cloud-off',
      text: `${formatPlural(unavailable, 'object')} without readable bytes`,
      to: '/buckets',
    },
    {
      count: needs_attention,
      tone: 'danger',
      icon: 'file-x',
      text: `${formatPlural(needs_attention, 'object')} failed to be stored`,
      to: '/buckets',
    },
    {
      count: storage_confirmations,
      tone: 'warning',
      icon: 'hourglass',
      text: `${formatPlural(storage_confirmations, 'storage confirmation')} waiting for a decision`,
      to: '/storage-confirmations',
    },
    {
      count: tasks.attention.failed,
      tone: 'danger',
      icon: 'circle-x',
      text: `${formatPlural(tasks.attention.failed, 'task')} failed`,
      to: '/tasks?status=failed',
    },
    { count: stuck.length, tone: 'danger', icon: 'cpu', text: `Workers without progress: ${stuck.join(', ')}`, to: '/tasks' },
  ]
  return all.filter(({ count }) => count > 0)
}
