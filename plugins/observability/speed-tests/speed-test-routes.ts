import { type Database, database, defineRoutes, serveEndpoint, type TaskQueue, taskQueue } from '#kernel'
import { observabilityErrors } from '../errors.ts'
import { type ProviderRound, providerHealth } from '../providers/provider-health.ts'
import { interrupted } from './describe-speed-test-policy.ts'
import { judgeEligible } from './judge-eligible-policy.ts'
import { speedTestTask } from './run-speed-test-task.ts'
import { startSpeedTest } from './speed-test-api.ts'
import { failOpenTests, hasOpenTest, planTest, speedTestKey } from './speed-test-store.ts'

export const speedTestRoutes = defineRoutes({
  name: 'speed-tests',
  uses: { providerHealth, database, taskQueue },
  endpoints: [startSpeedTest],
  register(app, { providerHealth, database, taskQueue }) {
    serveEndpoint(app, startSpeedTest, async ({ params }) => {
      const round = await providerHealth.read()
      const target = requireEligible(round, params.provider_id)
      return { task_id: await planSpeedTest({ database, taskQueue }, target), state: 'testing' } as const
    })
  },
})

interface Target {
  readonly providerId: string
  readonly serviceUrl: string
}

function requireEligible({ judged, time }: ProviderRound, providerId: string): Target {
  const asked = judged.find(({ provider }) => provider.providerId === providerId)
  if (asked === undefined) throw observabilityErrors.provider_not_found()
  const verdict = judgeEligible(asked, time)
  if ('refusal' in verdict) throw observabilityErrors.speed_test_provider_ineligible({ message: `No test: ${verdict.refusal}.` })
  return { providerId, serviceUrl: verdict.serviceUrl }
}

/** One test runs at a time, in all processes: the task's key is taken in the transaction that looks for it. */
function planSpeedTest(deps: { readonly database: Database; readonly taskQueue: TaskQueue }, target: Target): Promise<number> {
  const { database, taskQueue } = deps
  return database.write(async (tx) => {
    if (await hasOpenTest(taskQueue, tx)) throw observabilityErrors.speed_test_running()
    await failOpenTests(tx, interrupted)
    const taskId = await taskQueue.add(tx, speedTestTask, target, { key: speedTestKey })
    await planTest(tx, { providerId: target.providerId, taskId })
    return taskId
  })
}
