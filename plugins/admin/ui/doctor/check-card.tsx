import { component$, type QRL } from '@builder.io/qwik'
import { Alert, Badge, Button, formatExactCount, formatPlural, Icon } from '@svc/ui-kit'
import { type Check, type CheckRun, type Finding, needsTexts, subjectText } from './check-run-policy.ts'
import { runCheck, stopCheck } from './check-runs.ts'

interface CheckCardProps {
  check: Check
  run: CheckRun | undefined
  onFix$: QRL<(check: string, finding: Finding) => void>
}

/** One check with the result of its latest run in this tab. */
export const CheckCard = component$<CheckCardProps>(({ check, run, onFix$ }) => {
  const { name, title, cost, needs, proves } = check
  return (
    <section aria-label={title} class="min-w-0">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
        <div class="min-w-0 flex-1 basis-72">
          <h3 class="text-sm font-medium" title={proves.length > 0 ? `${name}, ${proves.join(', ')}` : name}>
            {title}
          </h3>
          {(cost !== 'quick' || needs !== undefined) && (
            <p class="flex flex-wrap gap-x-3 text-xs text-muted">
              {cost !== 'quick' && <span>Reads everything: may last long</span>}
              {needs !== undefined && <span>{needsTexts[needs]}</span>}
            </p>
          )}
        </div>
        <RunState run={run} />
        {run?.state === 'running' ? (
          <Button size="sm" icon="square" aria-label={`Stop: ${title}`} onClick$={() => stopCheck(name)}>
            Stop
          </Button>
        ) : (
          <Button
            size="sm"
            icon="play"
            aria-label={`Run: ${title}`}
            changes="POST /doctor/checks/:name/run"
            orHidden
            onClick$={() => void runCheck(name)}
          >
            {run ? 'Run again' : 'Run'}
          </Button>
        )}
      </div>
      {run?.error !== undefined && (
        <div class="px-4 pb-3">
          <Alert tone="danger" title="The check could not be finished" live>
            {run.error}
          </Alert>
        </div>
      )}
      {run && run.findings.length > 0 && (
        <ul aria-label={`Findings of ${title}`} class="divide-y border-t">
          {run.findings.map((finding, index) => (
            <FindingRow key={`${index} ${finding.subject.id}`} finding={finding} onFix$={() => onFix$(name, finding)} />
          ))}
        </ul>
      )}
      {run?.isCut && (
        <p class="border-t px-4 py-2 text-xs text-muted">More is damaged than is listed. Repair these, then run the check again.</p>
      )}
    </section>
  )
})

const RunState = component$<{ run: CheckRun | undefined }>(({ run }) => {
  if (!run) return <span class="text-xs text-muted">Not run in this tab</span>
  const compared = `${formatExactCount(run.compared)} compared`
  return (
    <span role="status" class="flex flex-wrap items-center gap-2 text-xs text-muted">
      {run.state === 'running' && (
        <>
          <Icon name="loader-circle" class="kit-spin" /> {compared}
        </>
      )}
      {run.state !== 'running' && compared}
      {run.state === 'finished' && run.findings.length === 0 && <Badge tone="success">In order</Badge>}
      {run.findings.length > 0 && <Badge tone={worstOf(run.findings)}>{formatPlural(run.findings.length, 'finding')}</Badge>}
      {run.state === 'stopped' && <Badge tone="neutral">Stopped</Badge>}
      {run.state === 'failed' && <Badge tone="danger">Failed</Badge>}
    </span>
  )
})

const worstOf = (findings: readonly Finding[]) => (findings.some(({ severity }) => severity === 'error') ? 'danger' : 'warning')

const FindingRow = component$<{ finding: Finding; onFix$: QRL<() => void> }>(({ finding, onFix$ }) => (
  <li class="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3 text-sm">
    <Badge tone={finding.severity === 'error' ? 'danger' : 'warning'}>{finding.severity === 'error' ? 'Error' : 'Warning'}</Badge>
    <div class="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
      <p class="font-medium">
        <bdi>{subjectText(finding.subject)}</bdi>
      </p>
      <p>
        <bdi>{finding.message}</bdi>
        {finding.invariant !== undefined && <span class="text-muted"> ({finding.invariant})</span>}
      </p>
      <p class="mt-0.5 text-muted">
        <bdi>{finding.repair}</bdi>
      </p>
    </div>
    {finding.fix && (
      <Button size="sm" icon="wrench" changes="POST /doctor/fixes/:name" orHidden onClick$={onFix$}>
        Repair
      </Button>
    )}
  </li>
))
