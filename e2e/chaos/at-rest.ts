/** Checks an idle gateway: its tasks, chain, providers, database and files. */
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import type { FundedDevnet } from '../fixtures/funded-devnet.ts'
import { readTasks } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import { findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'
import type { KeyHistory } from './key-history.ts'
import type { LiveGateway } from './live-gateway.ts'

const idleWithinMs = 180_000

interface AtRestDeps {
  readonly network: FundedDevnet
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly copies: number
  readonly histories: readonly KeyHistory[]
}

/** Waits until every version has its copies and no task is open, stops the gateway and returns the problems. */
export async function findProblemsAtRest(deps: AtRestDeps): Promise<readonly string[]> {
  const problems = [...(await findMissingCopies(deps)), ...(await findFailedTasks(deps))]
  await deps.gateway.process.stop()
  problems.push(...(await checkDatabase(deps.gateway.dir, deps.network.devnet)))
  problems.push(...(await findWrongPieces(deps)), ...findStrayFiles(deps))
  return problems
}

async function findMissingCopies({ network, gateway, bucket, copies, histories }: AtRestDeps): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { versions } of histories) {
    for (const { versionId, bytes } of versions) {
      if (bytes === null) continue
      const provenance = await waitForCopies(gateway.process, { bucket, versionId }, { copies, withinMs: idleWithinMs })
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      problems.push(...(await findWrongCopies(network.devnet, provenance, sha256)))
    }
  }
  return problems
}

/** Waits until no task is open. Transient faults must not fail a task. */
async function findFailedTasks({ gateway }: AtRestDeps): Promise<readonly string[]> {
  type Count = { readonly type: string; readonly status: string; readonly count: number }
  const read = async (): Promise<readonly Count[]> => (await gateway.process.call('GET', '/api/v1/tasks/stats')).json
  const isOpen = ({ status, count }: Count) => (status === 'pending' || status === 'running') && count > 0
  await until('no task is open', async () => ((await read()).some(isOpen) ? undefined : true), { withinMs: idleWithinMs, everyMs: 500 })
  const { tasks } = await readTasks(gateway.process, '?status=failed&limit=100')
  return tasks.map(({ type, subject, last_error }) => `${type} of ${JSON.stringify(subject)} failed: ${last_error}`)
}

/** Every live piece in our data sets must be exactly one recorded copy: no piece is paid for twice or unused. */
async function findWrongPieces({ network: { devnet }, gateway }: AtRestDeps): Promise<readonly string[]> {
  using database = new DatabaseSync(join(gateway.dir, 'db', 'svc.db'), { readOnly: true })
  const ours = new Set(
    database
      .prepare('select chain_id as id from data_sets where chain_id is not null')
      .all()
      .map(({ id }) => String(id)),
  )
  const recorded = new Set(
    database
      .prepare(
        `select d.chain_id || '/' || c.chain_piece_id as place from copies c join data_sets d on d.id = c.data_set_id where c.state = 'committed'`,
      )
      .all()
      .map(({ place }) => String(place)),
  )
  const problems: string[] = []
  for (const transaction of devnet.providers.flatMap((provider) => provider.transactions())) {
    const { kind, dataSetId, pieceIds = [], ok, hash } = transaction
    if (kind !== 'add' || ok !== true || dataSetId === undefined || !ours.has(String(dataSetId))) continue
    for (const pieceId of pieceIds) {
      const isLive = await devnet.pieceLive(dataSetId, pieceId)
      if (isLive !== recorded.has(`${dataSetId}/${pieceId}`))
        problems.push(`piece ${pieceId} of data set ${dataSetId} (${hash}) is ${isLive ? 'live but not' : 'not live but'} recorded`)
    }
  }
  return problems
}

/** Cache files without a row: a crash may leave some, which the next start removes. */
function findStrayFiles({ gateway }: AtRestDeps): readonly string[] {
  using database = new DatabaseSync(join(gateway.dir, 'db', 'svc.db'), { readOnly: true })
  const known = new Set(
    database
      .prepare('select blob_id as id from cache_blobs')
      .all()
      .map(({ id }) => String(id)),
  )
  const blobs = listCachedFiles(gateway.dir).filter((path) => path.includes('/blobs/'))
  return blobs.filter((path) => !known.has(basename(path))).map((path) => `${path} has no row`)
}
