import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Badge, Button, Card, ErrorAlert, formatPlural, PageHeader, SkeletonLines, useAction$, useQuery } from '@svc/ui-kit'
import { CheckRow } from './check-row.tsx'
import { groupChecks, listFailedReads, type Readiness, readinessPollMs, statusWords } from './readiness-policy.ts'

/** What the service says about key, balances, deposit, approval, node and providers. */
export const ReadinessPage = component$(() => {
  const readiness = useQuery('GET /chain/readiness', undefined, { pollMs: readinessPollMs })
  const again = useAction$(async () => readiness.refresh())
  const data = readiness.data
  return (
    <>
      <PageHeader
        title="Readiness"
        crumbs={[{ label: 'Wallet', to: '/wallet' }, { label: 'Readiness' }]}
        description="Whether the wallet, the chain and the providers are ready to store objects."
      >
        {data && (
          <span q:slot="badge">
            <Badge tone={statusWords[data.status][0]}>{statusWords[data.status][1]}</Badge>
          </span>
        )}
        <Button
          q:slot="actions"
          icon="refresh-cw"
          pending={again.isPending}
          pendingLabel="Checking"
          data-shortcut="r"
          onClick$={() => again.run()}
        >
          Check again
        </Button>
      </PageHeader>
      <ErrorAlert error={readiness.error} title="The checks could not run" class="mb-4" />
      {!data && !readiness.error && <ReadinessSkeleton />}
      {data && <ReadinessBody readiness={data} />}
    </>
  )
})

const ReadinessBody = component$<{ readiness: Readiness }>(({ readiness }) => {
  const open = readiness.checks.filter(({ status }) => status !== 'ready').length
  const failed = listFailedReads(readiness.partial_errors)
  return (
    <div class="flex flex-col gap-4">
      <p class="text-sm text-muted">
        {open === 0 ? 'All checks passed' : `${formatPlural(open, 'check')} of ${readiness.checks.length} to look at`}
        {', checked '}
        <Ago time={readiness.checked_at} />
      </p>
      {failed.length > 0 && (
        <Alert tone="warning" title="Some facts could not be read">
          {failed.join('; ')}
        </Alert>
      )}
      <div class="gap-4 lg:columns-2">
        {groupChecks(readiness.checks).map(({ title, checks }) => (
          <Card key={title} title={title} flush class="mb-4 break-inside-avoid">
            <ul class="divide-y border-t">
              {checks.map((check) => (
                <CheckRow key={check.id} check={check} />
              ))}
            </ul>
          </Card>
        ))}
      </div>
    </div>
  )
})

const ReadinessSkeleton = component$(() => (
  <div class="grid gap-4 lg:grid-cols-2">
    <Card title="Wallet and payments">
      <SkeletonLines lines={8} label="The checks run; they may take 20 seconds" />
    </Card>
    <Card title="Chain and providers">
      <SkeletonLines lines={5} label="The checks run" />
    </Card>
  </div>
))
