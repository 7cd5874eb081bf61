import { component$ } from '@builder.io/qwik'
import { type Answer, Card, formatPlural, Icon, Link, Skeleton, toneText } from '@svc/ui-kit'
import { findConcerns } from './concerns-policy.ts'

/** What an operator has to look at; one quiet line when that is nothing. */
export const AttentionList = component$<{ overview: Answer<'GET /overview'> | undefined }>(({ overview }) => {
  if (!overview) return <Skeleton class="h-12.5 w-full rounded-md" />
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
        {concerns.map(({ id, tone, icon, count, words, to }) => (
          <li key={id}>
            <Link to={to} class="kit-ease flex min-h-11 items-center gap-3 px-4 py-2 text-sm hover:bg-sunken">
              <Icon name={icon} class={toneText[tone]} />
              <span class="min-w-0 flex-1">{formatPlural(count, ...words)}</span>
              <Icon name="chevron-right" class="text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
})
