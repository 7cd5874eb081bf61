import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { parseTransaction } from 'viem'
import { expect, test } from 'vitest'
import { watchProbes } from '#kernel/testing'
import type { Fault } from '../../devnet/faults.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { countRows, readRows } from '../fixtures/gateways/gateway-database.ts'
import {
  stageBucket as Bucket,
  restartStage,
  type Stage,
  type StageOptions,
  type StoredObject,
  startProcessStage,
  startStage,
} from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import type { Provenance } from '../fixtures/verify-copies.ts'

const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 600_000 }, run)

/** Blocks are not shorter: the providers, which share the process of the test, would miss their windows for proofs on a busy machine. */
const one: StageOptions = { providers: 1, copies: 1, blockTimeSeconds: 1 }

/** Deletes the object and its bucket, which has an open upload. */
async function deleteAll({ s3 }: Pick<Stage, 's3'>, { key, versionId }: StoredObject): Promise<void> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'open' }))
  await s3.send(new UploadPartCommand({ Bucket, Key: 'open', UploadId, PartNumber: 1, Body: 'x'.repeat(100_000) }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: key, VersionId: versionId }))
  await s3.send(new DeleteBucketCommand({ Bucket }))
}

/** Successful transactions of the providers that ended these data sets. */
function terminations({ network }: Stage, { copies }: Provenance): number {
  const ids = new Set(copies.map(({ data_set_id }) => Number(data_set_id)))
  const transactions = network.devnet.providers.flatMap((provider) => provider.transactions())
  return transactions.filter(({ kind, dataSetId = 0, ok }) => kind === 'terminate' && ids.has(dataSetId) && ok === true).length
}

const tables = ['contents', 'copies', 'data_sets', 'data_set_endings', 'replica_slots', 'commit_batches', 'commit_items', 'removals']

/** Waits until only `buckets` buckets are left, and no row of the others. */
const forgotten = (stage: Pick<Stage, 'dir'>, buckets = 0) =>
  until('the rows of the bucket are deleted', async () => countRows(stage.dir, 'buckets') === buckets || undefined, { withinMs: 240_000 })

const place = ({ network }: Stage, fault: Fault) => network.devnet.providers[0]?.faults.add(fault)

scenario('a deleted bucket is gone at once; its pieces are removed, its services end on chain, and its rows are deleted', async () => {
  await using stage = await startStage({ ...one, providers: 2, copies: 2 })
  const { s3, network } = stage
  const object = await stage.put()
  const where = await stage.stored(object)
  await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({ name: 'BucketNotEmpty' })
  await deleteAll(stage, object)
  await expect(s3.send(new HeadBucketCommand({ Bucket }))).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
  expect((await s3.send(new ListBucketsCommand({}))).Buckets).toEqual([])
  await s3.send(new CreateBucketCommand({ Bucket }))
  await forgotten(stage, 1)
  for (const table of tables) expect([table, countRows(stage.dir, table)]).toEqual([table, 0])
  for (const { data_set_id, piece_id } of where.copies)
    expect(await network.devnet.pieceLive(BigInt(data_set_id), BigInt(piece_id))).toBe(false)
  expect(terminations(stage, where)).toBe(2)
  expect(await stage.settle([])).toEqual([])
})

for (const kind of ['drop_answer', 'fail_answer'] as const) {
  scenario(`I-05: a provider that sends the termination and then loses the answer (${kind}) is not asked again`, async () => {
    await using stage = await startStage(one)
    const object = await stage.put()
    const where = await stage.stored(object)
    place(stage, { kind, routes: ['terminate'], count: 1 })
    await deleteAll(stage, object)
    await forgotten(stage)
    expect(terminations(stage, where)).toBe(1)
    expect(await stage.settle([])).toEqual([])
  })
}

scenario('when the provider refuses to end the service, the wallet ends it by one transaction', async () => {
  await using stage = await startStage(one)
  const object = await stage.put()
  const where = await stage.stored(object)
  place(stage, { kind: 'answer', status: 503, routes: ['terminate'] })
  await deleteAll(stage, object)
  await forgotten(stage)
  expect(terminations(stage, where)).toBe(0)
  expect(readRows(stage.dir, 'select type, status from wallet_operations')).toEqual([{ type: 'terminate', status: 'confirmed' }])
  expect(await stage.settle([])).toEqual([])
})

/** The base fee of the next block, which falls by an eighth with each one after it. */
async function setBaseFee({ network }: Stage, fee: bigint): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setNextBlockBaseFeePerGas', params: [`0x${fee.toString(16)}`] })
  const answer = await fetch(network.devnet.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(answer.status).toBe(200)
}

// Alone: its probes hold the wallet operations of every gateway in this process.
test('I-44: a termination below the base fee is replaced, and does not stop the one behind it', { timeout: 600_000 }, async () => {
  await using stage = await startStage({ ...one, providers: 2, copies: 2 })
  const { chain, providers } = stage.network.devnet
  for (const { faults } of providers) faults.add({ kind: 'answer', status: 503, routes: ['terminate'] })
  const object = await stage.put()
  await stage.stored(object)
  using probes = watchProbes()
  using held = probes.holdAt('wallet.operation.recorded')
  // Its probes are reached only late: pieces are removed first.
  held.reached.catch(() => {})
  await deleteAll(stage, object)
  const [first] = await until(
    'a signed termination',
    async () => {
      const rows = readRows<{ raw: `0x${string}` }>(stage.dir, "select raw_tx as raw from wallet_operations where status = 'submitted'")
      return rows.length > 0 ? rows : undefined
    },
    { withinMs: 240_000, everyMs: 20 },
  )
  await chain.hold()
  const sent = probes.reached('wallet.operation.sent')
  held.release()
  // It must be in the pool: the node would refuse it at the higher base fee.
  await sent
  const cap = parseTransaction(first?.raw ?? '0x').maxFeePerGas ?? 0n
  await setBaseFee(stage, cap * 100n)
  await chain.release()
  await forgotten(stage)
  expect(readRows(stage.dir, 'select type, status from wallet_operations')).toEqual([
    { type: 'terminate', status: 'confirmed' },
    { type: 'terminate', status: 'confirmed' },
  ])
  expect(readRows(stage.dir, 'select raw_tx as raw from wallet_replaced')).toContainEqual(first)
  expect(stage.gateway.log()).toContain('a wallet transaction below the base fee was replaced')
  expect(await stage.settle([])).toEqual([])
})

/** Each chain has one directory, whose gateway is killed at each probe; the second one ends services by the wallet. */
const chains: readonly { readonly probes: readonly string[]; readonly fault?: Fault }[] = [
  { probes: ['storage.delete.bucket', 'storage.end.recorded', 'storage.end.sent'] },
  { probes: ['storage.end.settled', 'storage.end.landed', 'storage.end.retired', 'storage.end.forgotten'] },
  {
    probes: ['claimed', 'signed', 'recorded', 'sent', 'decided'].map((point) => `wallet.operation.${point}`),
    fault: { kind: 'answer', status: 503, routes: ['terminate'] },
  },
]

for (const { probes, fault } of chains) {
  scenario(`I-04 I-05 I-09: killed at ${probes.join(', ')}, each service ends once`, async () => {
    await using stack = new AsyncDisposableStack()
    let stage = stack.use(await startProcessStage({ ...one, killAt: '' }))
    if (fault) place(stage, fault)
    for (const [index, probe] of probes.entries()) {
      const object = await stage.put()
      const where = await stage.stored(object)
      stage.gateway.killAt(probe)
      // The process may die during the request.
      await deleteAll(stage, object).catch(() => undefined)
      expect(await stage.gateway.ended, `the probe ${probe} was not reached`).toBe('SIGKILL')
      stage = stack.use(await restartStage(stage, { killAt: '' }))
      await forgotten(stage)
      expect(fault ? countRows(stage.dir, "wallet_operations where status = 'confirmed'") : terminations(stage, where)).toBe(
        fault ? index + 1 : 1,
      )
      await stage.s3.send(new CreateBucketCommand({ Bucket }))
    }
    await stage.gateway.stop()
    expect(await checkDatabase(stage.dir, stage.network.devnet)).toEqual([])
  })
}
