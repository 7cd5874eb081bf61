import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { adminRoutes, definePlugin, provide } from '#kernel'
import { createLog } from '#kernel/host'
import { promised, runSql, startTestListener, type TestKernel, testAuthorization, testKernel } from '#kernel/testing'
import { createPlacements } from '../copies/views/placements.ts'
import { pipeline } from '../pipeline.ts'
import { answerAccepted, type ConfirmationScene, openConfirmationScene } from '../testing/confirmation-scene.ts'
import { allOpen } from '../testing/test-pipeline.ts'
import { createUploadMeter } from '../upload-meter.ts'
import { confirmationCommands } from './commands/commands.ts'
import { listConfirmations, releaseConfirmation, releaseGroup } from './confirmation-api.ts'
import { confirmationMetric } from './confirmation-metrics.ts'
import { confirmationRoutes } from './confirmation-routes.ts'

let scene: ConfirmationScene
let svc: TestKernel

beforeEach(async () => {
  scene = await openConfirmationScene({ pieces: 3 })
  const { deps } = scene
  const confirmations = definePlugin({
    id: 'confirmations',
    provides: [provide(pipeline, {}, () => deps)],
    contributes: [adminRoutes.with(confirmationRoutes)],
  })
  svc = await testKernel({ plugins: [confirmations] })
})

afterEach(async () => {
  await svc[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

const list = (query = '') => svc.call('GET', `/api/v1/storage-confirmations${query}`)
const release = (copyId: number | string, body: object) => svc.call('POST', `/api/v1/storage-confirmations/${copyId}/release`, body)
const accepted = { expected_attempt_id: '1', acknowledge_possible_duplicate: true }
const run = (name: string, words: CommandWords = {}) =>
  runCommand(
    confirmationCommands.find((command) => command.name === `admin storage-confirmation ${name}`),
    svc,
    words,
  )

test('an entry names copy, data set, attempt, times and reason; a known transaction too', async () => {
  scene.answerWith(answerAccepted)
  scene.deps.world.sent = { pooled: 9, final: 3 }
  const prices = JSON.stringify({ addPiecesBaseFee: '9007199254740993', addPiecesPerPieceFee: '2' })
  scene.deps.world.prices = { fingerprint: 'f', list: prices }
  await scene.later(scene.deps.pace.batchingWindowMs)
  await scene.later(scene.deps.pace.attentionMs)
  await scene.later(20_000)
  const [entry] = promised(listConfirmations, await list())
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/)
  expect(entry).toEqual({
    copy_id: 1,
    content_id: 1,
    bucket: 'photos',
    copy_index: 0,
    data_set_row_id: scene.dataSet.id,
    data_set_id: String(scene.dataSet.chainId),
    provider_id: scene.dataSet.providerId,
    piece_cid: scene.contents[0]?.pieceCid,
    attempt_id: '1',
    transaction_id: `0x${'ab'.repeat(32)}`,
    reason_code: 'transaction_not_found',
    attempted_at: time,
    attention_at: time,
    repeat_fees: { call: '9007199254740993', piece: '2' },
  })
})

test('limit_and_status_filter: entries are listed oldest first, up to the limit; other values are refused', async () => {
  expect((await list()).body).toEqual([])
  await scene.loseUntilAttention()
  const ids = async (query: string) => promised(listConfirmations, await list(query)).map(({ copy_id }) => copy_id)
  expect(await ids('')).toEqual([1, 2, 3])
  expect(await ids('?status=needs_attention&limit=2')).toEqual([1, 2])
  for (const all of ['?status=', '?status=&limit=3', '?limit=1000']) expect(await ids(all)).toEqual([1, 2, 3])
  for (const query of ['?status=released', '?status=%20', '?limit=0', '?limit=1001', '?limit=x']) {
    expect(await list(query)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
})

test('a release answers with the copy, and the entry is gone', async () => {
  await scene.loseUntilAttention()
  expect(promised(releaseConfirmation, await release(2, accepted))).toEqual({ copy_id: 2, status: 'released' })
  expect((await list()).body.map(({ copy_id }: { copy_id: number }) => copy_id)).toEqual([1, 3])
  expect(await release(2, accepted)).toMatchObject({ status: 404, body: { code: 'storage_confirmation_not_found' } })
})

test('release_stale_attempt: another attempt than the current one is refused with 409, and nothing changes', async () => {
  await scene.loseUntilAttention()
  const before = (await list()).body
  expect(await release(1, { ...accepted, expected_attempt_id: '2' })).toMatchObject({
    status: 409,
    body: { code: 'storage_confirmation_changed', error: expect.any(String) },
  })
  expect((await list()).body).toEqual(before)
})

test('release_without_ack: a release that does not accept the risk is refused with 400, after 404 and before 409', async () => {
  await scene.loseUntilAttention()
  const refused = { ...accepted, acknowledge_possible_duplicate: false }
  expect(await release(9, refused)).toMatchObject({ status: 404 })
  expect(await release(1, { ...refused, expected_attempt_id: '2' })).toMatchObject({
    status: 400,
    body: { code: 'storage_confirmation_unacknowledged' },
  })
  for (const [copyId, body] of [
    [1, { expected_attempt_id: '1' }],
    [1, { ...accepted, expected_attempt_id: '' }],
    [1, { ...accepted, more: 1 }],
    ['x', accepted],
    [0, accepted],
  ] as const) {
    expect(await release(copyId, body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
  expect(await scene.entries()).toHaveLength(3)
})

test('I-35: a release is a change in the audit log, with copy, attempt and acknowledgement', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'error', format: 'json', secrets: [], write: (line) => void lines.push(line) })
  await scene.loseUntilAttention()
  const routes = [{ group: confirmationRoutes, services: { pipeline: scene.deps }, answer: 'serve' }] as const
  await using listener = await startTestListener({ routes: routes as never, log })
  await fetch(`${listener.url}/api/v1/storage-confirmations/1/release`, {
    method: 'POST',
    headers: { authorization: testAuthorization },
    body: JSON.stringify(accepted),
  })
  const changes = () => lines.map((line) => JSON.parse(line)).filter(({ in: part, msg }) => part === 'audit' && msg === 'change')
  await expect.poll(() => changes().length).toBe(1)
  expect(changes()[0]).toMatchObject({
    by: 'admin',
    method: 'POST',
    route: '/api/v1/storage-confirmations/:copyId/release',
    subject: { copyId: '1', expected_attempt_id: '1', acknowledge_possible_duplicate: true },
    status: 200,
  })
})

test('every reason has a sample in the metrics', async () => {
  const read = async () => {
    const samples = await confirmationMetric.collect({ database: scene.rows.database } as never)
    return Object.fromEntries(samples.map(({ labels, value }) => [labels.reason_code, value]))
  }
  expect(Object.values(await read())).toEqual(Array(8).fill(0))
  await scene.loseUntilAttention()
  expect(await read()).toMatchObject({ submission_unknown: 3, chain_unreachable: 0 })
})

test('the provenance of a version and the count of the overview show copies that need an operator', async () => {
  await scene.loseUntilAttention()
  const { rows, deps } = scene
  const placements = createPlacements({
    database: rows.database,
    clock: deps.clock,
    queue: allOpen,
    uploads: createUploadMeter(deps.clock),
    versions: { rangeOf: async () => Promise.reject(new Error('not used')) as never },
    pieceUrl: () => '',
    providerName: () => undefined,
  })
  await rows.database.write((tx) =>
    runSql(
      tx,
      `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
       values (1, 'a', -1, 'v', 1, 0, 1, '', '', 0)`,
    ),
  )
  const attention = { code: 'submission_unknown', atMs: (await scene.entries())[0]?.attentionAtMs }
  expect((await placements.ofVersion(1, 'v'))?.copies).toMatchObject([{ status: 'committing', attention }])
  expect(await placements.countConfirmations()).toBe(3)
})

test('entries are listed in a table', async () => {
  expect((await run('list')).stdout).toBe('No storage confirmation needs an operator.\n')
  await scene.loseUntilAttention()
  const [header, row] = (await run('list', { flags: { limit: 1 } })).stdout.split('\n')
  expect(header).toMatch(/^COPY ID +BUCKET +KEY +PIECE CID +PROVIDER +ATTEMPT +TX +REASON +ATTEMPTED AT$/)
  expect(row).toMatch(/^1 +photos +- +bafk\S+ +1 +1 +- +submission_unknown +\S+Z$/)
  expect(JSON.parse((await run('list', { flags: { json: true } })).stdout)).toHaveLength(3)
  await expect(run('list', { flags: { limit: 1001 } })).rejects.toMatchObject({ exitCode: 2 })
})

test('a release is confirmed with --yes and names the copy; a stale attempt is refused with the next step', async () => {
  await scene.loseUntilAttention()
  const words = { parameters: { copyId: '1' }, flags: { attemptId: '1', yes: true } }
  await expect(run('release', { ...words, flags: { attemptId: '1' } })).rejects.toMatchObject({ exitCode: 2, message: /--yes/ })
  await expect(run('release', { ...words, flags: { yes: true } })).rejects.toMatchObject({ exitCode: 2, message: /--attempt-id/ })
  await expect(run('release', { ...words, parameters: { copyId: 'x' } })).rejects.toMatchObject({ exitCode: 2 })
  expect(await scene.entries()).toHaveLength(3)
  await expect(run('release', { ...words, flags: { ...words.flags, attemptId: '7' } })).rejects.toThrow(/List the entries again/)
  expect((await run('release', words)).stdout).toBe('Copy 1 released: another attempt stores it\n')
  const json = await run('release', { parameters: { copyId: '2' }, flags: { ...words.flags, json: true } })
  expect(JSON.parse(json.stdout)).toEqual({ copy_id: 2, status: 'released' })
})

const releaseAll = (body: object = accepted) => svc.call('POST', '/api/v1/storage-confirmations/release', body)

test('all copies of an attempt are released by one call, and each is sent again', async () => {
  await scene.loseUntilAttention()
  expect(promised(releaseGroup, await releaseAll())).toEqual({ attempt_id: '1', released: 3, refused: 0, refusals: [], has_more: false })
  expect((await list()).body).toEqual([])
  expect(await releaseAll()).toMatchObject({ status: 404, body: { code: 'storage_confirmation_not_found' } })
  scene.answerWith(answerAccepted)
  await scene.later(scene.deps.pace.batchingWindowMs)
  expect(scene.additions.map(({ pieces }) => pieces.length)).toEqual([3, 3])
})

test('a group release releases what still waits: copies that were released before are left out', async () => {
  await scene.loseUntilAttention()
  await release(2, accepted)
  expect(promised(releaseGroup, await releaseAll())).toMatchObject({ released: 2, refused: 0 })
  scene.answerWith(answerAccepted)
  await scene.later(scene.deps.pace.batchingWindowMs)
  // Pieces of the first call and of the second, each once.
  expect(scene.additions.slice(1).flatMap(({ pieces }) => pieces)).toHaveLength(3)
})

test('I-05: a group whose attempt landed is released of nothing, and every copy says why', async () => {
  await scene.loseUntilAttention()
  await scene.land(0, 3n)
  const answer = promised(releaseGroup, await releaseAll())
  expect(answer).toMatchObject({ released: 0, refused: 3, has_more: false })
  expect(answer.refusals).toEqual(
    [1, 2, 3].map((copy_id) => ({
      copy_id,
      code: 'storage_confirmation_landed',
      error: expect.stringContaining('The chain has the copy'),
    })),
  )
  await scene.later()
  expect((await scene.copies()).map(([state]) => state)).toEqual(['committed', 'committed', 'committed'])
  expect(scene.additions).toHaveLength(1)
})

test('a group release refuses a stale attempt, a risk that was not accepted, and a silent chain; nothing changes', async () => {
  await scene.loseUntilAttention()
  const before = (await list()).body
  expect(await releaseAll({ ...accepted, expected_attempt_id: '1.2' })).toMatchObject({
    status: 409,
    body: { code: 'storage_confirmation_changed' },
  })
  expect(await releaseAll({ ...accepted, acknowledge_possible_duplicate: false })).toMatchObject({
    status: 400,
    body: { code: 'storage_confirmation_unacknowledged' },
  })
  for (const expected_attempt_id of ['9', 'x', '1.', '0', "1' or 1", '9'.repeat(32)]) {
    expect(await releaseAll({ ...accepted, expected_attempt_id })).toMatchObject({ status: 404 })
  }
  for (const body of [{}, { ...accepted, expected_attempt_id: '' }, { ...accepted, more: 1 }, { acknowledge_possible_duplicate: true }]) {
    expect(await releaseAll(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
  scene.silenceChain(true)
  expect(await releaseAll()).toMatchObject({ status: 503, body: { code: 'storage_confirmation_unchecked' } })
  scene.silenceChain(false)
  expect((await list()).body).toEqual(before)
})

test('a chain that falls silent during a group release ends it: what was released stays, and the rest can be asked for again', async () => {
  await scene.loseUntilAttention()
  const { nonceOutcome } = scene.deps.reads
  let asked = 0
  Object.assign(scene.deps.reads, {
    nonceOutcome: async (...call: Parameters<typeof nonceOutcome>) => {
      scene.silenceChain(++asked > 1)
      return nonceOutcome(...call)
    },
  })
  expect(promised(releaseGroup, await releaseAll())).toEqual({ attempt_id: '1', released: 1, refused: 0, refusals: [], has_more: true })
  expect(await scene.entries()).toHaveLength(2)
  scene.silenceChain(false)
  Object.assign(scene.deps.reads, { nonceOutcome })
  expect(promised(releaseGroup, await releaseAll())).toMatchObject({ released: 2, has_more: false })
})

test('the command releases a group with --yes, and says what is left', async () => {
  await scene.loseUntilAttention()
  const words = { parameters: { attemptId: '1' }, flags: { yes: true } }
  await expect(run('release-attempt', { parameters: { attemptId: '1' } })).rejects.toMatchObject({ exitCode: 2, message: /--yes/ })
  await expect(run('release-attempt', { ...words, parameters: { attemptId: '7' } })).rejects.toThrow(/List the entries again/)
  expect((await run('release-attempt', words)).stdout).toBe('Released of attempt 1: 3; another attempt stores them\n')
})
