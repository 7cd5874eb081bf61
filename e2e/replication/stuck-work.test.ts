/** A provider refuses until the tasks have failed, and the operator dismisses the failures. */
import { expect, test } from 'vitest'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { createTaskCalls, taskPlugin } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'

const minuteMs = 60_000
const pipelineTypes = /^storage_(store|pull|commit|park|dataset_ensure)$/

/** Two providers and a stored object: the next one is uploaded to the first provider, and the second refuses it. */
async function startRefused() {
  const clock = createAdvancingClock()
  const settings = { 'worker.tasks.max_retries': 0, 'plugins.packages': [taskPlugin] }
  const stage = await startStage({ providers: 2, copies: 2, clock, settings })
  const first = await stage.put()
  await stage.stored(first)
  const [, puller] = await stage.providers()
  if (!puller) throw new Error('two slots need two providers')
  const fault = { kind: 'answer', status: 400, text: 'no more pieces', routes: ['pull', 'upload_create', 'piece_post'] } as const
  puller.faults.add(fault)
  const object = await stage.put()
  await stage.stored(object, 1)
  return { stage, clock, puller, first, object, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

const openTasks = async (stage: Stage) =>
  (await stage.tasks()).filter(({ type, status }) => pipelineTypes.test(type) && (status === 'pending' || status === 'running'))

/** Until the retries of the copy have ended, and nothing works on it. */
async function untilIdle({ stage, clock }: Pick<Awaited<ReturnType<typeof startRefused>>, 'stage' | 'clock'>) {
  await until('no open task', async () => {
    clock.advance(minuteMs)
    return (await openTasks(stage)).length === 0 || undefined
  })
}

interface Finding {
  readonly invariant?: string
  readonly fix?: { readonly name: string }
}

/** What each view says about the objects. */
async function look({ gateway }: Stage, { key, versionId }: StoredObject) {
  const get = async (path: string) => (await gateway.call('GET', path)).json
  const { objects, tasks } = await get('/api/v1/overview')
  const listed = (await get(`/api/v1/buckets/${stageBucket}/objects?prefix=${key}`)).objects[0]
  const detail = await get(`/api/v1/buckets/${stageBucket}/objects/status-detail?version_id=${versionId}`)
  const metrics = (await gateway.call('GET', '/metrics')).text
  const findings: Finding[] = []
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const page: { readonly findings: readonly Finding[]; readonly next?: string } = (
      await gateway.call('POST', '/api/v1/doctor/checks/replication.stuck-copies/run', { json: { after } })
    ).json
    findings.push(...page.findings)
    after = page.next
  }
  return {
    stuck: objects.attention.stuck,
    failed: tasks.attention.failed,
    listed: [listed.state, listed.attention_code],
    message: detail.message as string | undefined,
    metric: Number(/^svc_stuck_objects (\d+)$/m.exec(metrics)?.[1]),
    findings: findings.map(({ invariant, fix }) => [invariant, fix?.name]),
  }
}

test('I-43: dismissed failures are shown as stuck work, and the recurring pass makes the copies once the fault is gone', {
  timeout: 120_000,
}, async () => {
  await using scene = await startRefused()
  const { stage, clock, puller, first, object } = scene
  const { gateway } = stage
  const dismiss = async () => expect((await gateway.call('POST', '/api/v1/tasks/acknowledge')).status).toBe(200)
  await untilIdle(scene)
  await dismiss()
  await until('everything says stuck', async () => {
    clock.advance(minuteMs)
    const seen = await look(stage, object)
    return seen.stuck === 1 && seen.metric === 1 ? seen : undefined
  }).then((seen) => {
    expect(seen).toMatchObject({
      failed: 0,
      listed: ['replicating', 'stuck'],
      message: expect.stringMatching(
        /^Stuck: 1 of 2 copies, and no task works on the others\. Last error: .*no more pieces.* svc tries again within minutes; svc doctor --fix tries at once\.$/s,
      ),
      findings: [['I-43', 'replication.resume-content']],
    })
  })

  // The fault is still there: the pass tries, and the failure is listed again.
  const { resume } = createTaskCalls(gateway)
  await resume()
  await until('another failure', async () => {
    clock.advance(minuteMs / 4)
    return (await look(stage, object)).failed > 0 || undefined
  })
  await untilIdle(scene)
  expect((await look(stage, object)).stuck).toBe(1)

  // No operator acts from here on.
  puller.faults.clear()
  clock.advance(6 * 60 * minuteMs)
  await resume()
  await stage.stored(object)
  await until('nothing is stuck', async () => {
    clock.advance(minuteMs)
    const seen = await look(stage, object)
    return (seen.stuck === 0 && seen.metric === 0 && seen.findings.length === 0 && seen.listed[0] === 'stored') || undefined
  })
  await dismiss()
  // The dismissed failures are still recorded.
  expect((await stage.settle([first, object])).filter((problem) => !problem.includes('no more pieces'))).toEqual([])
})
