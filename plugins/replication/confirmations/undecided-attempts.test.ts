/** Attempts without a known outcome: looked up on chain, never sent again before it is decided, and reported to an operator when late. */
import { expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { notSent, ok, uncertain } from '../../providers/testing/index.ts'
import { nextCheckMs } from '../pace.ts'
import { addTxHash, answerAccepted, openConfirmationScene } from '../testing/confirmation-scene.ts'
import { testEpochMs, waitOf } from '../testing/test-pipeline.ts'
import { attemptIdOf } from './confirmation-store.ts'
import { releaseCopy } from './release-copy.ts'

test('I-05: answer_lost_then_landed: the pieces are committed with their ids, and nothing is sent a second time', async () => {
  await using scene = await openConfirmationScene({ pieces: 2 })
  await scene.later(scene.deps.pace.batchingWindowMs)
  expect(await scene.copies()).toEqual([
    ['unconfirmed', null],
    ['unconfirmed', null],
  ])
  await scene.land(0, 7n)
  await scene.later()
  expect(await scene.copies()).toEqual([
    ['committed', '5'],
    ['committed', '6'],
  ])
  expect(scene.additions).toHaveLength(1)
  expect(await scene.entries()).toEqual([])
})

test('I-05: answer_lost_never_landed: an operator is called after the attention time, and nothing is sent again', async () => {
  await using scene = await openConfirmationScene()
  const { deps, dataSet, contents } = scene
  deps.world.sent = { pooled: 9, final: 3 }
  await scene.later(deps.pace.batchingWindowMs)
  const sentAtMs = deps.clock.now()
  await scene.later(deps.pace.attentionMs - 1)
  expect(await scene.entries()).toEqual([])
  // The first late check records the count of the sender, the next one calls the operator.
  await scene.later(testEpochMs * 20)
  expect(await scene.entries()).toMatchObject([
    {
      copyId: 1,
      contentId: contents[0]?.contentId,
      slot: 0,
      dataSetId: dataSet.id,
      chainId: dataSet.chainId,
      providerId: dataSet.providerId,
      pieceCid: contents[0]?.pieceCid,
      batchId: 1,
      attemptNumber: 1,
      txHash: null,
      code: 'submission_unknown',
      attemptedAtMs: sentAtMs,
      attentionAtMs: deps.clock.now(),
    },
  ])
  for (let round = 0; round < 50; round++) await scene.later(testEpochMs * 20)
  expect(scene.additions).toHaveLength(1)
  expect(deps.published.filter(({ topic }) => topic === 'storage_confirmation_updated')).toEqual([
    { topic: 'storage_confirmation_updated', payload: { copy_id: 1, state: 'needs_attention' } },
  ])
})

test('I-05: 5xx_after_send: an error of the provider after the request is a lost answer', async () => {
  await using scene = await openConfirmationScene()
  scene.answerWith(uncertain({ reason: 'server_error', status: 502, detail: 'bad gateway' }))
  await scene.later(scene.deps.pace.batchingWindowMs)
  for (let round = 0; round < 5; round++) expect(waitOf(await scene.later(), scene.deps.clock).reason).toBe('confirmation')
  expect(scene.additions).toHaveLength(1)
  expect(await scene.copies()).toEqual([['unconfirmed', null]])
})

test('hash_replaced_by_fee: a transaction that replaces the one that the provider named commits the piece', async () => {
  await using scene = await openConfirmationScene()
  const { deps } = scene
  scene.answerWith(answerAccepted)
  deps.world.sent = { pooled: 9, final: 3 }
  await scene.later(deps.pace.batchingWindowMs)
  await scene.later(deps.pace.attentionMs)
  await scene.later(testEpochMs * 20)
  expect(await scene.entries()).toMatchObject([{ txHash: addTxHash, code: 'transaction_not_found' }])
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(scene.additions).toHaveLength(1)
})

test('the reason of an entry follows what the chain node and the provider know of the transaction', async () => {
  await using scene = await openConfirmationScene()
  const { deps } = scene
  const reason = async () => {
    await scene.later(testEpochMs * 20)
    return (await scene.entries())[0]?.code
  }
  scene.answerWith(answerAccepted)
  deps.world.sent = { pooled: 9, final: 3 }
  deps.world.knownHashes.add(addTxHash)
  await scene.later(deps.pace.batchingWindowMs)
  await scene.later(deps.pace.attentionMs)
  expect(await reason()).toBe('transaction_pending_too_long')
  deps.world.knownHashes.clear()
  expect(await reason()).toBe('transaction_not_found')
  deps.world.client = { ...deps.world.client, additionStatus: async () => uncertain({ reason: 'timeout', detail: 'late' }) }
  expect(await reason()).toBe('provider_status_missing')
  deps.world.client = { ...deps.world.client, additionStatus: async () => ok({ state: 'pending' }) }
  expect(await reason()).toBe('transaction_not_found')
  // One event for each change of the list, not for each reason.
  expect(deps.published.filter(({ topic }) => topic === 'storage_confirmation_updated')).toHaveLength(1)
})

test('piece_ids_in_order_for_40: a full batch that landed gives each copy the id of its place', async () => {
  await using scene = await openConfirmationScene({ pieces: 40 })
  await scene.commit()
  expect(scene.additions[0]?.pieces).toEqual(scene.contents.map(({ pieceCid }) => pieceCid))
  await scene.land(0, 140n)
  await scene.later()
  expect(await scene.copies()).toEqual(scene.contents.map((_, index) => ['committed', String(100 + index)]))
})

test('self_heals_before_release: an entry disappears when the chain shows the outcome', async () => {
  await using scene = await openConfirmationScene()
  await scene.loseUntilAttention()
  expect(await scene.entries()).toHaveLength(1)
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect(await scene.entries()).toEqual([])
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(scene.deps.published.filter(({ topic }) => topic === 'storage_confirmation_updated').map(({ payload }) => payload)).toEqual([
    { copy_id: 1, state: 'needs_attention' },
    { copy_id: 1, state: 'cleared' },
  ])
})

test('I-05: an attempt that did not land leaves the list and is sent again; listed later it is another attempt', async () => {
  await using scene = await openConfirmationScene()
  const { deps, contents } = scene
  const announced = () =>
    deps.published
      .filter(({ topic }) => topic === 'storage_confirmation_updated')
      .map(({ payload }) => (payload as { state: string }).state)
  await scene.loseUntilAttention()
  expect((await scene.entries()).map(attemptIdOf)).toEqual(['1'])
  // Every transaction of the sender is final, and none used the nonce.
  deps.world.sent = { pooled: 9, final: 9 }
  scene.answerWith(notSent({ reason: 'throttled', retryAfterMs: 1000, detail: 'later' }))
  await scene.later(testEpochMs * 20)
  expect([await scene.entries(), await scene.copies(), announced()]).toEqual([[], [['batched', null]], ['needs_attention', 'cleared']])
  scene.answerWith(answerAccepted)
  deps.world.sent = { pooled: 10, final: 9 }
  const sentBefore = scene.additions.length
  while (scene.additions.length === sentBefore) await scene.later()
  expect(new Set(scene.additions.map(({ extraData }) => extraData)).size).toBe(1)
  const sentAtMs = deps.clock.now()
  await scene.later(deps.pace.attentionMs - 1)
  expect(await scene.entries()).toEqual([])
  await scene.later(testEpochMs * 20)
  await scene.later(testEpochMs * 20)
  const entries = await scene.entries()
  expect(entries.map(attemptIdOf)).toEqual(['1.2'])
  expect(entries).toMatchObject([{ attemptedAtMs: sentAtMs, txHash: addTxHash, contentId: contents[0]?.contentId }])
  const release = (attemptId: string) => releaseCopy(deps, { copyId: 1, attemptId, isAcknowledged: true })
  await expect(release('1')).rejects.toMatchObject({ code: 'storage_confirmation_changed' })
  expect(announced()).toEqual(['needs_attention', 'cleared', 'needs_attention'])
  await release('1.2')
  expect(await scene.entries()).toEqual([])
})

test('chain_down: while the chain node does not answer, late attempts have this reason; it ends when the node answers', async () => {
  await using scene = await openConfirmationScene()
  const { deps } = scene
  deps.world.sent = { pooled: 9, final: 3 }
  await scene.later(deps.pace.batchingWindowMs)
  scene.silenceChain(true)
  expect(waitOf(await scene.later(deps.pace.attentionMs - 1), deps.clock).reason).toBe('chain')
  expect(await scene.entries()).toEqual([])
  expect(waitOf(await scene.later(1), deps.clock).reason).toBe('chain')
  expect(await scene.entries()).toMatchObject([{ code: 'chain_unreachable' }])
  scene.silenceChain(false)
  await scene.later(testEpochMs * 20)
  await scene.later(testEpochMs * 20)
  expect(await scene.entries()).toMatchObject([{ code: 'submission_unknown' }])
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(scene.additions).toHaveLength(1)
})

test('chain_down: a batch that was settled before the chain node fell silent in the same round is not reported', async () => {
  // Two batches, because one takes 40 pieces.
  await using scene = await openConfirmationScene({ pieces: 41 })
  const { deps, rows } = scene
  deps.world.sent = { pooled: 9, final: 3 }
  await scene.later(deps.pace.batchingWindowMs)
  await scene.later(testEpochMs)
  expect(scene.additions).toHaveLength(2)
  await scene.later(deps.pace.attentionMs - testEpochMs)
  await scene.land(0, 40n)
  const { nonceOutcome } = deps.reads
  Object.assign(deps.reads, {
    nonceOutcome: (payer: `0x${string}`, nonce: bigint) => {
      if (!scene.landings.has(nonce)) scene.silenceChain(true)
      return nonceOutcome(payer, nonce)
    },
  })
  await scene.later(testEpochMs * 20)
  expect((await scene.copies()).filter(([state]) => state === 'committed')).toHaveLength(40)
  const reported = await allRows(rows.database.read, 'select id, state, attention_code as code from commit_batches order by id')
  expect(reported).toEqual([
    { id: 1, state: 'confirmed', code: null },
    { id: 2, state: 'uncertain', code: 'chain_unreachable' },
  ])
  expect(deps.published.filter(({ topic }) => topic === 'storage_confirmation_updated').map(({ payload }) => payload)).toEqual([
    { copy_id: 41, state: 'needs_attention' },
  ])
})

test('I-02: cache_not_released_on_undecided_copy: cached bytes stay while the only copy is undecided', async () => {
  await using scene = await openConfirmationScene()
  const { rows, deps, contents } = scene
  const contentId = contents[0]?.contentId ?? 0
  await rows.database.write(async (tx) => {
    await runSql(tx, 'update buckets set minimum_durable_copies = 1')
    await runSql(tx, 'insert into cache_entries (content_id, bytes, releasable, accessed_at, cached_at) values (?, 1, 0, 0, 0)', contentId)
  })
  const isReleasable = async () => {
    await rows.database.write((tx) => deps.states.copies.recount(tx, [contentId]))
    return (await getRow<{ releasable: number }>(rows.database.read, 'select releasable from cache_entries'))?.releasable
  }
  await scene.later(deps.pace.batchingWindowMs)
  expect([await scene.copies(), await isReleasable()]).toEqual([[['unconfirmed', null]], 0])
  await scene.later(deps.pace.attentionMs)
  deps.world.sent = { pooled: 9, final: 3 }
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect([await scene.copies(), await isReleasable()]).toEqual([[['committed', '0']], 1])
})

test('an open outcome is checked 8 times after half an epoch, 30 times after 2 epochs, then every 20 epochs', () => {
  const pace = { epochMs: 30_000 } as Parameters<typeof nextCheckMs>[0]
  const pauses = Array.from({ length: 40 }, (_, checks) => nextCheckMs(pace, checks) / 1000)
  expect(pauses).toEqual([...Array(8).fill(15), ...Array(30).fill(60), 600, 600])
})
