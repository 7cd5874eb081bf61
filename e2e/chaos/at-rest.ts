/** Checks an idle gateway: its tasks and copies, then with `svc doctor` its chain, providers, database and files. */
import type { Reader } from '#kernel'
import { getRow } from '#kernel/testing'
import { type Body, digestOf } from '../fixtures/body.ts'
import { findUnrecordedAttempts, openReader } from '../fixtures/check-database.ts'
import type { FundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { findProblemsWithDoctor } from '../fixtures/run-doctor.ts'
import { readTasks } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import { findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'
import type { KeyHistory } from './key-history.ts'
import type { LiveGateway } from './live-gateway.ts'

/** Wall time on a busy machine. */
const idleWithinMs = 600_000
const pieceBytes = { min: 127, max: 1_065_353_216 } as const

interface AtRestDeps {
  readonly network: FundedDevnet
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly copies: number
  readonly histories: readonly KeyHistory[]
}

interface AtRest {
  readonly problems: readonly string[]
  readonly surplusPieces: number
}

/**
 * Waits until every version has its copies and no task is open, stops the gateway and returns the problems. `svc doctor` compares every
 * live piece in our data sets with the copies, so that no piece is paid for twice, and every file with the rows.
 */
export async function findProblemsAtRest(deps: AtRestDeps): Promise<AtRest> {
  // First the tasks: while they run, a copy that was just read may be replaced by that of a pack, or leave with its service.
  const problems = [...(await findFailedTasks(deps)), ...(await findMissingCopies(deps))]
  await deps.gateway.process.stop()
  const { dir } = deps.gateway
  using database = openReader(dir)
  problems.push(...(await findProblemsWithDoctor(dir)), ...(await findUnrecordedAttempts(database, deps.network.devnet)))
  const [surplusPieces, unsettled] = [await count(database, surplusCount), await count(database, unsettledCount)]
  if (unsettled > 0) problems.push(`${unsettled} attempts of released copies are not decided, or surplus pieces are not removed`)
  return { problems, surplusPieces }
}

const surplusCount = 'select count(*) as n from removals where surplus_batch_id is not null'
const unsettledCount = `select (select count(*) from commit_items i join commit_batches b on b.id = i.batch_id
    where i.released_at is not null and b.state not in ('confirmed', 'closed'))
  + (select count(*) from removals where surplus_batch_id is not null and state not in ('removed', 'data_set_ended')) as n`

const count = async (reader: Reader, sql: string): Promise<number> => (await getRow<{ n: number }>(reader, sql))?.n ?? 0

async function findMissingCopies({ network, gateway, bucket, copies, histories }: AtRestDeps): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { versions } of histories) {
    for (const { versionId, body } of versions) {
      // An empty object has no copies.
      if (body === null || body.length === 0) continue
      const provenance = await waitForCopies(gateway.process, { bucket, versionId }, { copies, withinMs: idleWithinMs })
      // The pieces of a larger object are judged by `svc doctor`.
      if (body.length > pieceBytes.max) continue
      problems.push(...(await findWrongCopies(network.devnet, provenance, await digestOf('sha256', provenance.pack ? body : padded(body)))))
    }
  }
  return problems
}

function padded(body: Body): Pick<Body, 'length' | 'slice'> {
  if (body.length >= pieceBytes.min) return body
  const bytes = Buffer.concat([body.slice(0, body.length), Buffer.alloc(pieceBytes.min - body.length)])
  return { length: bytes.length, slice: (start, end) => bytes.subarray(start, end) }
}

/** Waits until no task is open. Transient faults must not fail a task. */
async function findFailedTasks({ gateway }: AtRestDeps): Promise<readonly string[]> {
  type Count = { readonly type: string; readonly status: string; readonly count: number }
  const read = async (): Promise<readonly Count[]> => (await gateway.process.call('GET', '/api/v1/tasks/stats')).json
  const isOpen = ({ status, count }: Count) => (status === 'pending' || status === 'running') && count > 0
  const isIdle = async () => ((await read()).some(isOpen) ? undefined : true)
  try {
    await until('no task is open', isIdle, { withinMs: idleWithinMs, everyMs: 500 })
  } catch (error) {
    return [`${(error as Error).message}: ${await describeOpenTasks(gateway)}`]
  }
  const { tasks } = await readTasks(gateway.process, '?status=failed&limit=100')
  return tasks.map(({ type, subject, last_error }) => `${type} of ${JSON.stringify(subject)} failed: ${last_error}`)
}

async function describeOpenTasks({ process }: LiveGateway): Promise<string> {
  const pages = await Promise.all(['pending', 'running'].map((status) => readTasks(process, `?status=${status}&limit=10`)))
  const tasks = pages.flatMap((page) => page.tasks)
  return tasks.map(({ type, subject, status, wait_reason }) => `${type} of ${subject.key} is ${status} (${wait_reason})`).join('; ')
}
