import { expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { notSent, ok } from '../../providers/testing/index.ts'
import { dropReferences } from '../../storage/testing/rows.ts'
import { pullPieces } from '../copies/pulls/pull-pieces.ts'
import { verifyLandings } from '../finality/verify-landings.ts'
import { checkInvariants } from '../testing/check-invariants.ts'
import { answerAccepted, type ConfirmationScene, openConfirmationScene } from '../testing/confirmation-scene.ts'
import { testEpochMs } from '../testing/test-pipeline.ts'
import { releaseCopy } from './release-copy.ts'

const release = ({ deps }: ConfirmationScene, copyId = 1, attemptId = '1', isAcknowledged = true) =>
  releaseCopy(deps, { copyId, attemptId, isAcknowledged })

/** A copy that was released from its attempt and sent again by another one, whose answer is known. */
async function openReleased(pieces = 1): Promise<ConfirmationScene> {
  const scene = await openConfirmationScene({ pieces })
  await scene.loseUntilAttention()
  await release(scene)
  scene.answerWith(answerAccepted)
  await scene.later(scene.deps.pace.batchingWindowMs)
  return scene
}

/** Lands the second attempt, deletes the content, and ends its removals as the cleanup task does. */
async function deleteContent(scene: ConfirmationScene): Promise<void> {
  const { rows, deps } = scene
  const contentId = scene.contents[0]?.contentId ?? 0
  await scene.land(1, 1n)
  await scene.later()
  await rows.database.write(async (tx) => {
    await dropReferences(tx, contentId, 1, deps.clock.now())
    await deps.states.copies.recount(tx, [contentId])
    await runSql(tx, "update removals set state = 'removed'")
    await runSql(tx, "update copies set state = 'removed'")
    await deps.contents.forgetIfReleased(tx, contentId)
  })
}

const states = async (scene: ConfirmationScene) => (await scene.attempts()).map(({ state }) => state)
/** The contents of these rows have no versions. */
const expectSound = async ({ rows }: ConfirmationScene) =>
  expect((await checkInvariants(rows.database.read)).filter((problem) => !problem.includes('number of versions'))).toEqual([])

test('a release lets another attempt with another nonce store the copy, and the first one is never sent again', async () => {
  await using scene = await openReleased()
  expect(await scene.entries()).toEqual([])
  expect(scene.additions.map(({ pieces }) => pieces)).toEqual([scene.additions[0]?.pieces, scene.additions[0]?.pieces])
  expect(scene.additions[1]?.extraData).not.toBe(scene.additions[0]?.extraData)
  expect(await states(scene)).toEqual(['uncertain', 'submitted'])
  const accepted = 'select price_list from commit_items where released_at is not null'
  expect(await getRow(scene.rows.database.read, accepted)).toEqual({ price_list: 'today' })
  await scene.land(1, 1n)
  await scene.later()
  expect(await scene.copies()).toEqual([['committed', '0']])
  // Every transaction of the sender is final, and none used the nonce of the first attempt: it ends.
  scene.deps.world.sent = { pooled: 9, final: 9 }
  await scene.later(testEpochMs * 20)
  expect(await states(scene)).toEqual(['closed', 'confirmed'])
  expect(await scene.later(testEpochMs * 20)).toEqual({ kind: 'done' })
  expect(scene.additions).toHaveLength(2)
  expect(await scene.removals()).toEqual([])
  expect(scene.deps.published.map(({ payload }) => (payload as { state?: string }).state).filter(Boolean)).toEqual([
    'needs_attention',
    'cleared',
  ])
  await expectSound(scene)
})

test('I-05: partial_release_of_one_of_40: the others stay with their attempt, which is closed when it did not land', async () => {
  await using scene = await openConfirmationScene({ pieces: 40 })
  await scene.loseUntilAttention()
  await release(scene, 7)
  scene.answerWith(answerAccepted)
  await scene.later(scene.deps.pace.batchingWindowMs)
  expect(scene.additions.map(({ pieces }) => pieces.length)).toEqual([40, 1])
  expect(await scene.entries()).toHaveLength(39)
  await scene.land(1, 1n)
  await scene.later()
  scene.deps.world.sent = { pooled: 9, final: 9 }
  await scene.later(testEpochMs * 20)
  await scene.later(scene.deps.pace.batchingWindowMs)
  // Not sent again as it was: with the released piece it would be paid twice.
  expect(await states(scene)).toEqual(['closed', 'confirmed', 'submitted'])
  expect(scene.additions.map(({ pieces }) => pieces.length)).toEqual([40, 1, 39])
  await expectSound(scene)
})

test('I-21: partial_release_of_one_of_40: the late attempt commits the others with the ids of their places', async () => {
  await using scene = await openConfirmationScene({ pieces: 40 })
  await scene.loseUntilAttention()
  await release(scene, 7)
  scene.answerWith(answerAccepted)
  await scene.later(scene.deps.pace.batchingWindowMs)
  await scene.land(1, 1n)
  await scene.later()
  await scene.land(0, 41n)
  await scene.later(testEpochMs * 20)
  const ids = Array.from({ length: 40 }, (_, index) => (index === 6 ? '0' : String(index + 1)))
  expect(await scene.copies()).toEqual(ids.map((id) => ['committed', id]))
  expect(await scene.removals()).toEqual(['7'])
  await expectSound(scene)
})

test('I-27: release_then_old_lands: after the new attempt, the piece of the old one is removed and the copy stays', async () => {
  await using scene = await openReleased()
  await scene.land(1, 1n)
  await scene.later()
  await scene.land(0, 2n)
  await scene.later(testEpochMs * 20)
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(await scene.removals()).toEqual(['1'])
  expect(scene.deps.scheduled).toContain(`cleanup ${scene.dataSet.id}`)
  expect(await states(scene)).toEqual(['confirmed', 'confirmed'])
  await expectSound(scene)
})

test('I-27: release_then_old_lands: before the new attempt, the copy is committed by the old one and the new piece is removed', async () => {
  await using scene = await openReleased()
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(await scene.removals()).toEqual([])
  await scene.land(1, 2n)
  await scene.later(testEpochMs * 20)
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(await scene.removals()).toEqual(['1'])
  await expectSound(scene)
})

test('I-05: release_then_old_lands: a new attempt that is not sent yet is never sent, and its other pieces join another one', async () => {
  await using scene = await openConfirmationScene()
  const { rows, deps, dataSet } = scene
  await scene.loseUntilAttention()
  await release(scene)
  await rows.addCopy(await rows.addContent({ copies: 1 }), dataSet, 'parked')
  deps.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
  await scene.later(deps.pace.batchingWindowMs)
  expect(await states(scene)).toEqual(['uncertain', 'ready'])
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect((await scene.copies())[0]).toEqual(['committed', '0'])
  deps.world.funding = { isCovered: true }
  deps.world.sent = { pooled: 9, final: 9 }
  scene.answerWith(answerAccepted)
  for (let round = 0; round < 4; round++) await scene.later(testEpochMs * 20)
  expect(scene.additions.map(({ pieces }) => pieces.length)).toEqual([1, 1])
  expect(await states(scene)).toEqual(['confirmed', 'closed', 'submitted'])
  await expectSound(scene)
})

test('I-25: release_then_old_lands: a pull for the new attempt is closed, and its other pieces are planned again', async () => {
  await using scene = await openConfirmationScene()
  const { rows, deps, dataSet } = scene
  await scene.loseUntilAttention()
  await deps.clock.advance(91 * 60_000)
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound: false }) }
  await release(scene)
  const other = await rows.addContent({ copies: 1 })
  const otherCopy = await rows.addCopy(other, dataSet, 'planned')
  // Another provider could serve both pieces.
  const source = await rows.addDataSet()
  for (const content of [scene.contents[0] ?? other, other]) await rows.addCopy(content, source, 'parked')
  const item = ({ contentId, pieceCid }: (typeof scene.contents)[number], copyId: number) => ({
    copyId,
    contentId,
    pieceCid: pieceCid ?? '',
    length: 10,
  })
  const items = [item(scene.contents[0] ?? other, 1), item(other, otherCopy)]
  const pull = { dataSetId: dataSet.id, method: 'pull', nonce: 99n, extraData: '0x', items } as const
  await rows.database.write((tx) => deps.states.batches.record(tx, pull))
  await scene.land(0, 1n)
  await scene.later(testEpochMs * 20)
  expect(deps.scheduled).toContain(`pull ${dataSet.id}`)
  await pullPieces(deps, dataSet.id, new AbortController().signal)
  expect([(await scene.copies()).slice(0, 2), await states(scene)]).toEqual([
    [
      ['committed', '0'],
      ['planned', null],
    ],
    ['confirmed', 'closed'],
  ])
})

test('I-27: a reorganisation after both landed takes back the surplus piece with its landing', async () => {
  await using scene = await openReleased()
  const { deps } = scene
  await scene.land(1, 1n)
  await scene.later()
  await scene.land(0, 2n)
  await scene.later(testEpochMs * 20)
  expect(await scene.removals()).toEqual(['1'])
  scene.landings.delete(BigInt((await scene.attempts())[0]?.nonce ?? 0))
  deps.world.epoch += 5n
  await deps.clock.advance(5 * testEpochMs)
  await verifyLandings(deps, new AbortController().signal)
  expect(await scene.removals()).toEqual([])
  expect(await states(scene)).toEqual(['uncertain', 'confirmed'])
  await scene.land(0, 9n)
  await scene.later(testEpochMs * 20)
  expect([await scene.copies(), await scene.removals()]).toEqual([[['committed', '0']], ['8']])
  await expectSound(scene)
})

test('I-18: a deleted content is kept until its released attempt is decided, and its late piece is removed', async () => {
  await using scene = await openReleased()
  const { rows } = scene
  await deleteContent(scene)
  expect(await getRow(rows.database.read, 'select id from contents')).toBeDefined()
  await scene.land(0, 2n)
  await scene.later(testEpochMs * 20)
  expect(await scene.removals()).toEqual(['1'])
  expect(await getRow(rows.database.read, 'select id from contents')).toBeDefined()
})

test('I-18: a deleted content is forgotten when its released attempt did not land', async () => {
  await using scene = await openReleased()
  const { rows, deps } = scene
  await deleteContent(scene)
  deps.world.sent = { pooled: 9, final: 9 }
  await scene.later(testEpochMs * 20)
  expect(await allRows(rows.database.read, 'select id from contents union all select id from copies')).toEqual([])
})

test('a release just after the landing releases nothing: the entry is checked at once', async () => {
  await using scene = await openConfirmationScene()
  await scene.loseUntilAttention()
  await scene.land(0, 1n)
  await expect(release(scene)).rejects.toMatchObject({ code: 'storage_confirmation_landed', status: 409 })
  expect(scene.deps.scheduled).toContain(`commit ${scene.dataSet.id}`)
  await scene.commit()
  expect(await scene.copies()).toEqual([['committed', '0']])
  expect(scene.additions).toHaveLength(1)
})

test('nothing is released while the chain cannot be looked at', async () => {
  await using scene = await openConfirmationScene()
  await scene.loseUntilAttention()
  scene.silenceChain(true)
  await expect(release(scene)).rejects.toMatchObject({ code: 'storage_confirmation_unchecked', status: 503 })
  expect(await scene.entries()).toHaveLength(1)
})

test('release_stale_attempt: nothing is released when the copy has another attempt, also when it changes during the look at the chain', async () => {
  await using scene = await openConfirmationScene()
  const { deps, rows } = scene
  await scene.loseUntilAttention()
  const changed = { code: 'storage_confirmation_changed', status: 409 }
  await expect(release(scene, 1, '2')).rejects.toMatchObject(changed)
  const { nonceOutcome } = deps.reads
  deps.reads.nonceOutcome = async (payer, nonce) => {
    await rows.database.write((tx) => runSql(tx, "update commit_batches set state = 'submitting'"))
    return nonceOutcome(payer, nonce)
  }
  await expect(release(scene)).rejects.toMatchObject(changed)
  expect(await scene.copies()).toEqual([['attention', null]])
})

test('two releases of one copy release it once', async () => {
  await using scene = await openConfirmationScene()
  await scene.loseUntilAttention()
  const outcomes = await Promise.allSettled([release(scene), release(scene)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(release(scene)).rejects.toMatchObject({ code: 'storage_confirmation_not_found', status: 404 })
})

test.each([
  [true, 'parked'],
  [false, 'planned'],
])('after the parking time the provider is asked for the piece: found is %s, so the copy is %s', async (isFound, state) => {
  await using scene = await openConfirmationScene()
  const { deps } = scene
  await scene.loseUntilAttention()
  await deps.clock.advance(91 * 60_000)
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound }) }
  await release(scene)
  expect(await scene.copies()).toEqual([[state, null]])
  expect(deps.scheduled).toContain(`store ${scene.contents[0]?.contentId}`)
})

test('a copy of a refused attempt is released too, and the refused attempt is only looked up', async () => {
  await using scene = await openConfirmationScene()
  scene.answerWith(notSent({ reason: 'invalid', status: 400, detail: 'no' }))
  for (let round = 0; round < 13; round++) await scene.later(600_000)
  expect(await scene.entries()).toMatchObject([{ code: 'invalid_submission', batchState: 'ready' }])
  const refused = scene.additions.length
  await release(scene)
  scene.answerWith(answerAccepted)
  await scene.later(scene.deps.pace.batchingWindowMs)
  expect(await states(scene)).toEqual(['uncertain', 'submitted'])
  expect(scene.additions.slice(refused).map(({ extraData }) => extraData)).not.toContain(scene.additions[0]?.extraData)
})

test('a refused attempt that the provider accepts later needs no operator', async () => {
  await using scene = await openConfirmationScene()
  scene.answerWith(notSent({ reason: 'invalid', status: 400, detail: 'no' }))
  for (let round = 0; round < 13; round++) await scene.later(600_000)
  expect(await scene.entries()).toHaveLength(1)
  scene.answerWith(answerAccepted)
  for (let round = 0; round < 4 && (await states(scene))[0] === 'ready'; round++) await scene.later(600_000)
  expect([await states(scene), await scene.entries(), await scene.copies()]).toEqual([['submitted'], [], [['batched', null]]])
})

test('the other copies of a refused attempt are released too, without a pause', async () => {
  await using scene = await openConfirmationScene({ pieces: 2 })
  scene.answerWith(notSent({ reason: 'invalid', status: 400, detail: 'no' }))
  for (let round = 0; round < 13; round++) await scene.later(600_000)
  await release(scene, 1)
  await scene.commit()
  await release(scene, 2)
  expect(await scene.entries()).toEqual([])
})

test('I-05: a submission of an attempt with a released copy is not recorded, so nothing is sent', async () => {
  await using scene = await openConfirmationScene()
  const { rows, deps } = scene
  scene.answerWith(notSent({ reason: 'invalid', status: 400, detail: 'no' }))
  for (let round = 0; round < 13; round++) await scene.later(600_000)
  const record = () => rows.database.write((tx) => deps.states.batches.apply(tx, 'recorded', 1))
  await release(scene)
  expect(await record()).toBe(false)
  await rows.database.write((tx) => runSql(tx, 'update commit_items set released_at = null where batch_id = 1'))
  expect(await record()).toBe(true)
})

test('a nonce that was used for another data set: the copy is released, and the attempt ends', async () => {
  await using scene = await openConfirmationScene()
  await scene.later(scene.deps.pace.batchingWindowMs)
  scene.landings.set(BigInt((await scene.attempts())[0]?.nonce ?? 0), { landed: true, dataSetId: 999n, nextPieceId: 1n })
  await expect(scene.later()).rejects.toMatchObject({ code: 'submission_mismatch' })
  expect(await scene.entries()).toMatchObject([{ code: 'result_mismatch' }])
  await release(scene)
  scene.answerWith(answerAccepted)
  await scene.later(testEpochMs * 20)
  await scene.later(testEpochMs * 20)
  expect(await states(scene)).toEqual(['closed', 'submitted'])
})

test('I-05: an attempt that was sent again after it did not land is not released', async () => {
  await using scene = await openConfirmationScene()
  await scene.loseUntilAttention()
  scene.deps.world.sent = { pooled: 9, final: 9 }
  scene.answerWith(answerAccepted)
  for (let round = 0; round < 4 && scene.additions.length < 2; round++) await scene.later(testEpochMs * 20)
  expect([scene.additions.length, await states(scene), await scene.copies()]).toEqual([2, ['submitted'], [['batched', null]]])
  await expect(release(scene)).rejects.toMatchObject({ code: 'storage_confirmation_not_found' })
})

test('I-05: an attempt that may have been sent a short time ago is not released before the handling time of the provider has passed', async () => {
  await using scene = await openConfirmationScene()
  const { deps, rows } = scene
  await scene.loseUntilAttention()
  // A refusal of a listed attempt that is withdrawn leaves this row.
  await rows.database.write((tx) => runSql(tx, 'update commit_batches set submit_started_at = ?, sender_nonce = null', deps.clock.now()))
  await expect(release(scene)).rejects.toMatchObject({ code: 'storage_confirmation_changed' })
  expect(await scene.copies()).toEqual([['attention', null]])
  await deps.clock.advance(deps.pace.handlingMs)
  await release(scene)
  expect(await scene.entries()).toEqual([])
})

test('I-27: a piece id of a surplus piece that the chain gives to another attempt after a reorganisation is not removed', async () => {
  await using scene = await openReleased()
  const { rows, deps } = scene
  await scene.land(1, 1n)
  await scene.later()
  await scene.land(0, 2n)
  await scene.later(testEpochMs * 20)
  expect([await scene.copies(), await scene.removals()]).toEqual([[['committed', '0']], ['1']])
  await rows.database.write((tx) => deps.states.batches.rollBack(tx, 2, 'reorganised'))
  await scene.land(1, 2n)
  await scene.land(0, 1n)
  for (let round = 0; round < 2; round++) await scene.later(testEpochMs * 20)
  expect([await scene.copies(), await scene.removals()]).toEqual([[['committed', '1']], ['0']])
  await expectSound(scene)
})
