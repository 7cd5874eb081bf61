import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Card, ErrorAlert, PageHeader, Skeleton, useObservable, useQuery } from '@svc/ui-kit'
import { CheckCard } from './check-card.tsx'
import type { Finding } from './check-run-policy.ts'
import { checkRuns, runChecks } from './check-runs.ts'
import { FixDialog } from './fix-dialog.tsx'
import { groupChecks, groupWords, summariseRuns } from './group-checks.ts'

/** The checks of `svc doctor` against the running service. */
export const DoctorPage = component$(() => {
  const checks = useQuery('GET /doctor/checks')
  const runs = useObservable(checkRuns)
  const isFixing = useSignal(false)
  const chosen = useSignal<{ check: string; finding: Finding }>()
  const quick = checks.data?.filter(({ cost }) => cost === 'quick').map(({ name }) => name) ?? []
  const isRunning = Object.values(runs.value).some(({ state }) => state === 'running')
  const fix = $((check: string, finding: Finding) => {
    chosen.value = { check, finding }
    isFixing.value = true
  })
  return (
    <>
      <PageHeader
        title="Doctor"
        description="Compares the records of the service with files, chain and providers. A check changes nothing; each repair is confirmed on its own."
      >
        <Button
          q:slot="actions"
          variant="primary"
          icon="play"
          changes="POST /doctor/checks/:name/run"
          disabled={quick.length === 0}
          pending={isRunning}
          onClick$={() => void runChecks(checks.data?.filter(({ cost }) => cost === 'quick').map(({ name }) => name) ?? [])}
        >
          Run the quick checks
        </Button>
      </PageHeader>
      <ErrorAlert error={checks.error} onRetry$={checks.refresh} />
      {checks.data && (
        <p role="status" class="mb-3 text-sm text-muted">
          {summariseRuns(checks.data, runs.value)}
        </p>
      )}
      <div class="flex flex-col gap-4">
        {!checks.data && !checks.error && [1, 2, 3, 4].map((line) => <Skeleton key={line} class="h-18 w-full rounded-lg" />)}
        {checks.data &&
          groupChecks(checks.data, runs.value).map(({ group, checks }) => (
            <Card key={group} title={groupWords[group] ?? group} flush>
              <div class="divide-y border-t">
                {checks.map((check) => (
                  <CheckCard key={check.name} check={check} run={runs.value[check.name]} onFix$={fix} />
                ))}
              </div>
            </Card>
          ))}
      </div>
      <FixDialog open={isFixing} check={chosen.value?.check ?? ''} finding={chosen.value?.finding} />
    </>
  )
})
