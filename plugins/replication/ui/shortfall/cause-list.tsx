import { component$ } from '@builder.io/qwik'
import { Button, ErrorAlert, formatPlural, hrefOf, Icon, LinkButton, Menu, toneText, useIsEnabled } from '@svc/ui-kit'
import { type Cause, causeText, workTones } from './describe-shortfall.ts'
import { useRetry } from './use-retry.ts'

/** One line for each cause, with what can be done about it. */
export const CauseList = component$<{ causes: readonly Cause[] }>(({ causes }) => {
  const { retry, enqueued } = useRetry()
  const canReplace = useIsEnabled('replacement')
  return (
    <>
      <ErrorAlert error={retry.error} class="m-4" />
      <p role="status" class="px-4 text-xs text-muted">
        {retry.isPending && enqueued.value > 0 && `${formatPlural(enqueued.value, 'task')} enqueued so far.`}
      </p>
      <ul class="divide-y border-t">
        {causes.map((cause) => (
          <li
            key={`${cause.work} ${cause.provider_id} ${cause.reason}`}
            class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-sm"
          >
            <Icon name={cause.work === 'stuck' ? 'triangle-alert' : 'clock'} class={toneText[workTones[cause.work]]} />
            <div class="min-w-0 flex-1 basis-72">
              <p class="font-medium">{causeText(cause)}</p>
              {cause.message !== undefined && (
                <p class="truncate text-xs text-muted" title={cause.message}>
                  <bdi>{cause.message}</bdi>
                </p>
              )}
            </div>
            <span class="flex flex-wrap items-center gap-2">
              {cause.work === 'stuck' && (
                <Button
                  size="sm"
                  variant="primary"
                  icon="rotate-ccw"
                  changes="POST /below-target/retry"
                  orHidden
                  pending={retry.isPending}
                  onClick$={() => retry.run(cause.provider_id ?? '')}
                >
                  Retry all
                </Button>
              )}
              <LinkButton
                size="sm"
                href={hrefOf('/below-target', {}, { work: cause.work, provider: cause.work === 'stuck' ? cause.provider_id : undefined })}
              >
                Show objects
              </LinkButton>
              {canReplace.value && cause.data_sets.length > 0 && (
                <Menu
                  label="Replace provider"
                  icon="replace"
                  text
                  items={cause.data_sets.map(({ id, bucket }) => ({
                    id: String(id),
                    label: `Replace in ${bucket}`,
                    icon: 'replace',
                    changes: 'POST /buckets/:name/data-sets/:id/replacement',
                    to: hrefOf('/buckets/:name/replace/:id', { name: bucket, id: String(id) }),
                  }))}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
})
