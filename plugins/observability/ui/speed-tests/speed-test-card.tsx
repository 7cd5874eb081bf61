import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Badge, Card, KeyValue, KeyValues, Link, Progress, useIsEnabled, useQuery } from '@svc/ui-kit'
import { failureText, rateText, type SpeedTest, sampleText, testTones, testWords } from './describe-speed-test.ts'

/** The latest speed test of a provider, or its progress. */
export const SpeedTestCard = component$<{ test: SpeedTest | undefined }>(({ test }) => (
  <Card title="Upload speed test">
    {test && (
      <span q:slot="actions">
        <Badge tone={testTones[test.state]}>{testWords[test.state]}</Badge>
      </span>
    )}
    {!test && (
      <p class="text-sm text-muted">
        Not tested. A test runs only when somebody starts it, and measures one upload; the scorecard has what real uploads show.
      </p>
    )}
    {test?.state === 'testing' && <RunningTest />}
    {test?.state === 'failed' && <Alert tone="danger">{failureText(test.failure_code)}</Alert>}
    {test?.state === 'stale' && (
      <Alert tone="warning" title="Measured at another address">
        The provider has another service URL by now, or none. Start a new test for the present one.
      </Alert>
    )}
    {test && test.state !== 'testing' && <TestFacts test={test} />}
  </Card>
))

const TestFacts = ({ test }: { test: SpeedTest }) => {
  const [rate, sample] = [rateText(test), sampleText(test)]
  if (rate === undefined && test.tested_at === undefined) return null
  return (
    <div class={test.state === 'succeeded' ? '' : 'mt-3'}>
      {rate !== undefined && (
        <p class={['text-2xl font-semibold tracking-tight', test.state === 'failed' && 'text-muted']}>
          {rate}
          {test.state === 'failed' && <span class="ms-2 text-xs font-normal">in the test before</span>}
        </p>
      )}
      <KeyValues class="mt-1">
        {sample !== undefined && <KeyValue label="Sample" value={sample} />}
        <KeyValue label={test.state === 'stale' ? 'Tested at the address before' : 'Tested'}>
          <Ago time={test.tested_at} />
        </KeyValue>
      </KeyValues>
      <p class="text-xs text-muted">A single sample. Uploads of objects may be slower or faster.</p>
    </div>
  )
}

/** Progress by the task of the test; one runs at a time, so the newest is it. */
const RunningTest = component$(() => {
  const hasTasks = useIsEnabled('tasks')
  const tasks = useQuery('GET /tasks', () => (hasTasks.value ? { query: { type: 'provider_speed_test', limit: '1' } } : null))
  const task = tasks.data?.tasks[0]
  return (
    <>
      <Progress label="Upload speed test" text={task?.status === 'pending' ? 'Waits for its turn' : 'Sends 32 MiB of random bytes'} />
      {task && (
        <p class="mt-2 text-xs text-muted">
          <Link to="/tasks" query={{ task: String(task.id) }} class="text-accent hover:underline">
            Task {task.id}
          </Link>{' '}
          ends within two minutes.
        </p>
      )}
    </>
  )
})
