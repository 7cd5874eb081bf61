import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  Badge,
  Button,
  Card,
  Empty,
  ErrorAlert,
  hrefOf,
  LinkButton,
  PageHeader,
  SkeletonLines,
  Stepper,
  useParam,
  useQuery,
} from '@svc/ui-kit'
import { ProgressFacts } from './progress-facts.tsx'
import { ReplacementFacts } from './replacement-facts.tsx'
import { RetryDialog } from './retry-dialog.tsx'
import {
  isEnded,
  needsOperator,
  type Replacement,
  readId,
  statusLabels,
  statusSentences,
  statusTones,
  stepsOf,
  waitTitles,
} from './words-policy.ts'

/** One replacement with its progress, kept current by events. */
export const ReplacementPage = component$(() => {
  const param = useParam('id')
  const found = useQuery('GET /storage-replacements/:id', () => {
    const id = readId(param)
    return id === undefined ? null : { params: { id } }
  })
  const isRetrying = useSignal(false)
  useTask$(() => {
    document.title = `Replacement ${param} · svc`
  })
  const crumbs = [{ label: 'Replacements', to: '/replacements' }, { label: `#${param}` }]
  const replacement = found.data
  if (!replacement) {
    const isUnknown = readId(param) === undefined || found.error?.status === 404
    return (
      <>
        <PageHeader title="Replacement" crumbs={crumbs} />
        <Card>
          {isUnknown && (
            <Empty icon="replace" title="There is no such replacement">
              <LinkButton href="/replacements">Go to the replacements</LinkButton>
            </Empty>
          )}
          {!isUnknown && <ErrorAlert error={found.error} onRetry$={found.refresh} />}
          {!isUnknown && !found.error && <SkeletonLines lines={6} label="Loading the replacement" />}
        </Card>
      </>
    )
  }
  const { status, copy_index, bucket_name } = replacement
  return (
    <>
      <PageHeader title={`Replica ${copy_index + 1} of ${bucket_name}`} crumbs={crumbs}>
        <span q:slot="badge">
          <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge>
        </span>
        {needsOperator(replacement) && (
          <Button
            q:slot="actions"
            variant="primary"
            icon="rotate-ccw"
            changes="POST /storage-replacements/:id/retry"
            lockedReason={replacement.retryable ? undefined : 'This provider cannot be used: choose another one.'}
            onClick$={() => {
              isRetrying.value = true
            }}
          >
            Retry
          </Button>
        )}
      </PageHeader>
      <ErrorAlert error={found.error} onRetry$={found.refresh} class="mb-4" />
      <Notice replacement={replacement} />
      <div class="grid min-w-0 gap-5 lg:grid-cols-12">
        <Card title="Progress" class="lg:col-span-7">
          <div class="flex flex-col gap-5">
            {!needsOperator(replacement) && <p class="text-sm">{statusSentences[status]}</p>}
            {stepsOf(replacement).length > 0 && <Stepper label="Stages" steps={stepsOf(replacement)} />}
            <ProgressFacts replacement={replacement} />
          </div>
        </Card>
        <Card title="Facts" class="lg:col-span-5">
          <ReplacementFacts replacement={replacement} />
        </Card>
      </div>
      <RetryDialog open={isRetrying} replacement={replacement} />
    </>
  )
})

/** Why it waits, calmly; why it failed, with the next step. */
const Notice = component$<{ replacement: Replacement }>(({ replacement }) => {
  const { wait_reason, wait_message, last_error, retryable, bucket_name, source, superseded_by } = replacement
  if (wait_reason !== undefined) {
    return (
      <div class="mb-5">
        <Alert tone="info" title={waitTitles[wait_reason]}>
          <bdi>{wait_message}</bdi>
          {wait_reason === 'source' && ' A read of such an object through svc brings its bytes into the cache.'}
        </Alert>
      </div>
    )
  }
  if (needsOperator(replacement)) {
    return (
      <div class="mb-5">
        <Alert tone={replacement.status === 'failed' ? 'danger' : 'warning'} title={statusSentences[replacement.status]}>
          <bdi>{last_error}</bdi>
          {!retryable && (
            <LinkButton
              q:slot="actions"
              size="sm"
              changes="POST /buckets/:name/data-sets/:id/replacement"
              href={hrefOf('/buckets/:name/replace/:id', { name: bucket_name, id: String(source.id) })}
            >
              Choose another provider
            </LinkButton>
          )}
        </Alert>
      </div>
    )
  }
  if (isEnded(replacement) && superseded_by !== undefined) {
    return (
      <div class="mb-5">
        <Alert tone="info" title="A later confirmation took its place">
          <LinkButton q:slot="actions" size="sm" href={hrefOf('/replacements/:id', { id: String(superseded_by) })}>
            Show replacement {superseded_by}
          </LinkButton>
        </Alert>
      </div>
    )
  }
  return null
})
