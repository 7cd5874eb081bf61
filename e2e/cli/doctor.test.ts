/** `svc doctor` on a real gateway with a chain and providers: while it runs, and after it has stopped, with seeded damage. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Finding } from '#kernel/system'
import { testOperator } from '#kernel/testing'
import { type SvcHome, svcHome } from '../../cli/testing/run-svc.ts'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { openGatewayDatabase } from '../fixtures/gateways/gateway-database.ts'
import { type Stage, startStage } from '../fixtures/gateways/stage.ts'
import { findProblemsWithDoctor } from '../fixtures/run-doctor.ts'
import { isTerminalMissing, runOnTerminal } from './run-on-terminal.ts'

let stage: Stage
let home: SvcHome

beforeAll(async () => {
  home = svcHome()
  // The damages below are to files.
  stage = await startStage({ copies: 2, settings: { 'cache.database_object_bytes': 0 } })
  for (const object of [await stage.put(), await stage.put(), await stage.put()]) await stage.stored(object)
}, 120_000)

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  home?.[Symbol.dispose]()
})

interface Report {
  readonly checks: readonly {
    readonly name: string
    readonly state: string
    readonly compared: number
    readonly findings: readonly Finding[]
    readonly reason?: string
  }[]
  readonly fixes: readonly { readonly fix: string; readonly target: string; readonly outcome: string; readonly error?: string }[]
}

async function svc(...words: string[]) {
  const online = words.includes('--online') ? ['--admin-url', stage.gateway.adminUrl] : []
  const line = ['doctor', '--config', stage.gateway.configPath, ...words, ...online]
  return home.run(line, { SVC_ADMIN_PASSWORD: testOperator.password })
}

async function doctor(...words: string[]) {
  const { code, stdout, stderr } = await svc(...words, '--json')
  expect(stderr).toBe('')
  return { code, report: JSON.parse(stdout) as Report }
}

const statesOf = ({ checks }: Report, states: readonly string[]) =>
  checks.filter(({ state }) => states.includes(state)).map(({ name, findings, reason }) => ({ name, findings, reason }))

/** Checks that have something to compare on a healthy gateway. */
const busyChecks = [
  'kernel.database',
  'storage.objects',
  'storage.cache-files',
  'storage.cache-bytes',
  'replication.copies',
  'replication.chain-data-sets',
  'replication.chain-pieces',
  'replication.chain-unrecorded',
  'replication.provider-pieces',
]

function expectHealthy({ code, report }: Awaited<ReturnType<typeof doctor>>): void {
  expect(statesOf(report, ['found', 'unknown'])).toEqual([])
  expect(code).toBe(0)
  expect(report.checks.filter(({ compared }) => compared > 0).map(({ name }) => name)).toEqual(expect.arrayContaining(busyChecks))
}

test('I-01 I-24 I-27: a running gateway has no findings, and one in use is not opened', { timeout: 60_000 }, async () => {
  const whole = await doctor('--online', '--whole')
  expectHealthy(whole)
  expect(whole.report.checks.map(({ name }) => name)).toContain('storage.cache-accounting')
  expectHealthy(await doctor('--online'))
  const text = await svc('--online', '--only', 'storage')
  expect(text).toMatchObject({ code: 0, stdout: expect.stringMatching(/Nothing found in \d+ checks\./) })
  const inUse = await svc()
  expect(inUse).toMatchObject({ code: 4, stdout: '' })
  expect(inUse.stderr).toMatch(
    /^fatal: the database \S+ is in use by another svc \(process .*\); stop it first, or run svc doctor --online\n$/,
  )
})

test('a running gateway repairs its counters, and the audit log has the fix', { timeout: 60_000 }, async () => {
  damage('update bucket_stats set live_objects = 99')
  const found = await doctor('--online', '--only', 'storage.counts')
  expect(found.code).toBe(3)
  expect(statesOf(found.report, ['found'])).toMatchObject([
    { name: 'storage.counts', findings: [{ subject: { kind: 'bucket', bucket: 'stage' } }] },
  ])
  const fixed = await doctor('--online', '--only', 'storage.counts', '--fix', '--yes')
  expect(fixed.report.fixes).toMatchObject([{ fix: 'storage.bucket-counts', outcome: 'applied' }])
  expect((await doctor('--online', '--only', 'storage.counts')).code).toBe(0)
  const line =
    stage.gateway
      .log()
      .split('\n')
      .find((text) => text.includes('/api/v1/doctor/fixes/:name')) ?? '{}'
  expect(JSON.parse(line)).toMatchObject({ msg: 'change', subject: { target: '1' }, status: 200 })
})

test('a usage error has exit code 2', async () => {
  await stage.gateway.stop()
  expect(await svc('--only', 'storage.nothing')).toMatchObject({
    code: 2,
    stderr: 'fatal: there is no check storage.nothing; svc doctor --list shows the names\n',
  })
  expect(await svc('--fix')).toMatchObject({ code: 2, stderr: 'fatal: without a terminal --fix must be confirmed with --yes\n' })
  expect(await svc('--sample', '0')).toMatchObject({ code: 2 })
  const list = await svc('--list')
  expect(list.code).toBe(0)
  for (const name of busyChecks) expect(list.stdout).toContain(name)
})

test('checks that cannot run with these options are refused with exit code 4 and how to run them', async () => {
  const refused = (...words: string[]) => svc(...words, '--json')
  expect(await refused('--only', 'storage.objects,storage.cache-accounting')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: 'fatal: storage.cache-accounting needs the running gateway: run svc doctor --online --only storage.cache-accounting\n',
  })
  expect(await refused('--only', 'wallet.chain-clock', '--local')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: 'fatal: wallet.chain-clock asks the chain or providers: run svc doctor --only wallet.chain-clock without --local\n',
  })
  expect(await refused('--only', 'storage,wallet', '--local')).toMatchObject({ code: 0 })
  expect(await refused('--only', 'storage.cache-accounting', '--list')).toMatchObject({ code: 0 })
})

test('a gateway that does not run is refused online with exit code 4', async () => {
  expect(await svc('--online', '--admin-url', 'http://127.0.0.1:9')).toMatchObject({ code: 4, stdout: '' })
})

const databaseFile = () => join(stage.dir, 'db', 'svc.db')

/** Runs SQL on the database file, without its foreign keys. */
function damage(...statements: readonly string[]): void {
  using database = openGatewayDatabase(stage.dir, { isReadOnly: false })
  for (const statement of ['pragma foreign_keys = off', ...statements]) database.exec(statement)
}

const cachedFile = () => listCachedFiles(stage.dir).find((path) => path.includes('/blobs/')) ?? ''
const strayPath = () => join(dirname(cachedFile()), `${'0'.repeat(30)}00`)
const aCopy = 'select min(id) from copies'
const otherCid = 'bafkzcibcaabai6wghyu4vkcmkdjb5f5jppwnjyhfcdxlzvlgyzsyvqx2nzbfecq'

interface Damage {
  readonly what: string
  readonly check: string
  readonly finding: object
  readonly sql?: readonly string[]
  readonly files?: () => void
  /** `--fix` repairs it. */
  readonly isFixed?: boolean
}

const damages: readonly Damage[] = [
  {
    what: 'wrong counters of tasks',
    check: 'kernel.task-counts',
    finding: { severity: 'warning', subject: { kind: 'task counter', id: 'storage_store/completed/0' } },
    sql: ['update task_counts set n = n + 1'],
    isFixed: true,
  },
  {
    what: 'a deleted head',
    check: 'storage.objects',
    finding: { severity: 'error', invariant: 'I-17', subject: { kind: 'object', bucket: 'stage', key: 'object-0' } },
    sql: [`delete from object_heads where key = 'object-0'`],
  },
  {
    what: 'a wrong reference count',
    check: 'storage.objects',
    finding: { severity: 'error', invariant: 'I-18', subject: { kind: 'content', bucket: 'stage' } },
    sql: ['update contents set ref_count = 2 where id = 1'],
  },
  {
    what: 'wrong counters of a bucket',
    check: 'storage.counts',
    finding: { severity: 'warning', subject: { kind: 'bucket', bucket: 'stage' } },
    sql: ['update bucket_stats set live_bytes = 1, tombstones = 7'],
    isFixed: true,
  },
  {
    what: 'a wrong count of what an owner stores',
    check: 'storage.counts',
    finding: { severity: 'warning', subject: { kind: 'owner of buckets', id: 'all owners' } },
    sql: [`update stored_usage set version_bytes = version_bytes + 1 where owner = '*'`],
    isFixed: true,
  },
  {
    what: 'a wrong count of current versions',
    check: 'storage.counts',
    finding: { severity: 'warning', subject: { kind: 'content', key: 'object-0' } },
    sql: ['update contents set current_count = 5 where id = 1'],
    isFixed: true,
  },
  {
    what: 'an entry that may be removed with too few copies',
    check: 'storage.cached-contents',
    finding: { severity: 'error', invariant: 'I-02' },
    sql: ['update contents set durable_copies = 0 where id = 1', 'update cache_entries set releasable = 1 where content_id = 1'],
    isFixed: true,
  },
  {
    what: 'a wrong size of a cache entry',
    check: 'storage.cached-contents',
    finding: { severity: 'error', invariant: 'I-23' },
    sql: ['update cache_entries set bytes = bytes + 1 where content_id = 1'],
  },
  {
    what: 'a content without bytes',
    check: 'storage.lost-contents',
    finding: { severity: 'error', subject: { kind: 'content', key: 'object-0' } },
    sql: [`update contents set store_state = 'lost' where id = 1`],
  },
  {
    what: 'a missing cached file',
    check: 'storage.cache-files',
    finding: { severity: 'warning', invariant: 'I-01', message: expect.stringContaining('is missing') },
    files: () => rmSync(cachedFile()),
    isFixed: true,
  },
  {
    what: 'a missing cached file without copies',
    check: 'storage.cache-files',
    finding: { severity: 'error', invariant: 'I-01', repair: expect.stringContaining('no provider has a copy') },
    sql: ['update contents set readable_copies = 0'],
    files: () => rmSync(cachedFile()),
  },
  {
    what: 'a short cached file',
    check: 'storage.cache-files',
    finding: { severity: 'warning', invariant: 'I-01', message: expect.stringContaining('has 3 bytes instead of 1000') },
    files: () => truncateSync(cachedFile(), 3),
    isFixed: true,
  },
  {
    what: 'a cached file that cannot be read',
    check: 'storage.cache-files',
    finding: { severity: 'warning', invariant: 'I-01', message: expect.stringContaining('cannot be read (ELOOP') },
    files: () => {
      const path = cachedFile()
      rmSync(path)
      symlinkSync(path, path)
    },
    isFixed: true,
  },
  {
    what: 'a folder instead of a cached file without copies',
    check: 'storage.cache-bytes',
    finding: { severity: 'error', invariant: 'I-01', message: expect.stringContaining('is not a file') },
    sql: ['update contents set readable_copies = 0'],
    files: () => {
      const path = cachedFile()
      rmSync(path)
      mkdirSync(path)
    },
  },
  {
    what: 'other bytes in a cached file',
    check: 'storage.cache-bytes',
    finding: { severity: 'warning', message: expect.stringContaining('has other bytes') },
    files: () => writeFileSync(cachedFile(), Buffer.alloc(statSync(cachedFile()).size, 7)),
    isFixed: true,
  },
  {
    what: 'a file that is kept as damaged',
    check: 'storage.damaged-files',
    finding: { severity: 'warning', invariant: 'I-37', subject: { kind: 'cache file', key: 'object-0' } },
    sql: ['update cache_blobs set damaged_at = 1 where content_id = 1', `update cache_entries set state = 'damaged' where content_id = 1`],
    isFixed: true,
  },
  {
    what: 'an intact file in the quarantine',
    check: 'storage.quarantine',
    finding: {
      severity: 'warning',
      subject: { kind: 'cache file', key: 'object-0' },
      message: expect.stringContaining('has the right bytes'),
    },
    sql: [
      `insert into cache_quarantine (blob_id, content_id, epoch, length, sha256, removed_at)
       select f.blob_id, c.id, f.epoch, f.length, c.sha256, 1 from cache_blobs f join contents c on c.id = f.content_id where c.id = 1`,
      'delete from cache_blobs where content_id = 1',
      'delete from cache_entries where content_id = 1',
    ],
    isFixed: true,
  },
  {
    what: 'a file without a row',
    check: 'storage.stray-files',
    finding: { severity: 'warning', invariant: 'I-03', message: expect.stringContaining('has no row and takes 9 bytes') },
    files: () => writeFileSync(strayPath(), 'nine byte'),
    isFixed: true,
  },
  {
    what: 'a wrong number of durable copies',
    check: 'replication.copies',
    finding: { severity: 'error', invariant: 'I-19', subject: { kind: 'content', bucket: 'stage', key: 'object-0' } },
    sql: ['update contents set durable_copies = 1 where id = 1'],
    isFixed: true,
  },
  {
    what: 'a copy without a piece id',
    check: 'replication.copies',
    finding: { severity: 'error', invariant: 'I-21' },
    sql: ['pragma ignore_check_constraints = on', `update copies set chain_piece_id = null where id = (${aCopy})`],
  },
  {
    what: 'a removal of a stored content',
    check: 'replication.removals',
    finding: { severity: 'error', invariant: 'I-18', subject: { kind: 'removal', key: 'object-0' } },
    sql: [
      `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at)
       select data_set_id, chain_piece_id, id, content_id, 'pending', 0, 0 from copies where id = (${aCopy})`,
    ],
  },
  {
    what: 'wrong totals of a data set',
    check: 'replication.data-sets',
    finding: { severity: 'warning', subject: { kind: 'data set', bucket: 'stage' } },
    sql: ['update data_set_totals set committed_bytes = 1, current_versions = 99'],
    isFixed: true,
  },
  {
    what: 'a copy without a task',
    check: 'replication.stuck-copies',
    finding: { severity: 'error', invariant: 'I-43', subject: { kind: 'data set', bucket: 'stage' } },
    sql: [`update copies set state = 'parked', chain_piece_id = null where id = (${aCopy})`],
    isFixed: true,
  },
  {
    what: 'a content whose copy has no row',
    check: 'replication.stuck-copies',
    finding: { severity: 'error', subject: { kind: 'content', bucket: 'stage', key: 'object-0' } },
    sql: [`delete from copies where id = (${aCopy})`],
  },
  {
    what: 'a data set that the chain does not have',
    check: 'replication.chain-data-sets',
    finding: { severity: 'error', subject: { kind: 'data set', id: '999999', bucket: 'stage' } },
    sql: ['update data_sets set chain_id = 999999 where id = 1'],
  },
  {
    what: 'a piece id that the chain does not have',
    check: 'replication.chain-pieces',
    finding: { severity: 'error', invariant: 'I-27', message: expect.stringMatching(/^piece 999999 of data set \d+ is not on chain$/) },
    sql: [`update copies set chain_piece_id = '999999' where id = (${aCopy})`],
  },
  {
    what: 'another piece CID on chain',
    check: 'replication.chain-pieces',
    finding: { severity: 'error', invariant: 'I-27', message: expect.stringContaining('on chain instead of') },
    sql: ['update pieces set piece_cid = (select p.piece_cid from pieces p where p.id = 2) where id = 1'],
  },
  {
    what: 'a piece on chain without a row',
    check: 'replication.chain-unrecorded',
    finding: { severity: 'error', invariant: 'I-24', subject: { kind: 'piece', bucket: 'stage' } },
    sql: [`update copies set state = 'failed', chain_piece_id = null where id = (${aCopy})`],
  },
  {
    what: 'a piece that the provider does not serve',
    check: 'replication.provider-pieces',
    finding: { severity: 'error', subject: { kind: 'copy', key: 'object-0' }, message: expect.stringContaining('does not serve') },
    sql: [`update pieces set piece_cid = '${otherCid}' where id = 1`],
  },
  {
    what: 'an undecided wallet operation',
    check: 'wallet.operations',
    finding: { severity: 'warning', subject: { kind: 'wallet operation' }, message: 'fund has no outcome since 1970-01-01T00:00:00Z' },
    sql: [
      `insert into wallet_operations (type, client_request_id, amount, status, created_at, updated_at) values ('fund', 'x', '1', 'pending', 0, 0)`,
    ],
  },
  {
    what: 'a configuration file that others may read',
    check: 'kernel.permissions',
    finding: { severity: 'error', subject: { kind: 'file' }, message: expect.stringContaining('mode 0644') },
    files: () => chmodSync(stage.gateway.configPath, 0o644),
    isFixed: true,
  },
  {
    what: 'a row without its parent',
    check: 'kernel.database',
    finding: { severity: 'error', message: '3 rows of cache_blobs refer to missing rows of contents' },
    sql: [`update cache_blobs set content_id = 999999`],
  },
]

/** Database and cached files as they are now; the result puts them back. */
function keepState(): () => void {
  const files = listCachedFiles(stage.dir).map((path) => ({ path, bytes: readFileSync(path) }))
  const copy = join(home.dir, 'kept.db')
  const stray = strayPath()
  copyFileSync(databaseFile(), copy)
  return () => {
    for (const suffix of ['-wal', '-shm']) rmSync(`${databaseFile()}${suffix}`, { force: true })
    copyFileSync(copy, databaseFile())
    for (const { path, bytes } of files) {
      rmSync(path, { recursive: true, force: true })
      writeFileSync(path, bytes)
    }
    rmSync(stray, { force: true })
    chmodSync(stage.gateway.configPath, 0o600)
  }
}

test('I-01 I-24 I-27: a stopped gateway has no findings', { timeout: 60_000 }, async () => {
  expectHealthy(await doctor('--whole'))
  expectHealthy(await doctor())
  expect(await findProblemsWithDoctor(stage.dir)).toEqual([])
})

test('as the judge of other tests it returns findings, and checks that could not run', { timeout: 60_000 }, async () => {
  const putBack = keepState()
  try {
    damage('update bucket_stats set live_objects = 99', 'drop table wallet_operations')
    expect(await findProblemsWithDoctor(stage.dir)).toEqual([
      expect.stringMatching(/^wallet.operations could not run: .*no such table: wallet_operations/),
      'storage.counts: bucket 1: bucket_stats differs from the rows',
    ])
  } finally {
    putBack()
  }
})

test.for(damages)('$check finds $what', { timeout: 60_000 }, async ({ check, finding, sql = [], files, isFixed = false }) => {
  const putBack = keepState()
  try {
    damage(...sql)
    files?.()
    const found = await doctor('--only', check)
    expect(statesOf(found.report, ['found', 'unknown'])).toMatchObject([
      { name: check, findings: expect.arrayContaining([expect.objectContaining({})]) },
    ])
    const findings = found.report.checks.flatMap((one) => one.findings)
    expect(
      findings.some((one) => matches(one, finding)),
      JSON.stringify(findings),
    ).toBe(true)
    expect(found.code).toBe(findings.some(({ severity }) => severity === 'error') ? 1 : 3)
    for (const { repair } of findings) expect(repair).not.toBe('')
    if (!isFixed) return
    const fixed = await doctor('--only', check, '--fix', '--yes')
    expect(new Set(fixed.report.fixes.map(({ outcome }) => outcome))).toEqual(new Set(['applied']))
    expect(fixed.code).toBe(0)
    expect(await doctor('--only', check)).toMatchObject({ code: 0 })
  } finally {
    putBack()
  }
})

test('a cache whose disk is not mounted is one error without a fix', { timeout: 60_000 }, async () => {
  const putBack = keepState()
  const blobs = join(stage.dir, 'cache', 'blobs')
  renameSync(blobs, `${blobs}-away`)
  try {
    const { code, report } = await doctor('--only', 'storage', '--fix', '--yes')
    expect(code).toBe(1)
    expect(statesOf(report, ['found', 'unknown'])).toMatchObject([
      {
        name: 'storage.cache-files',
        findings: [{ severity: 'error', message: `${blobs} is missing, but the database records 3 files in it` }],
      },
      { name: 'storage.cache-bytes', findings: [], reason: expect.stringContaining('is missing; storage.cache-files says') },
    ])
    expect(report.fixes).toEqual([])
  } finally {
    renameSync(`${blobs}-away`, blobs)
    putBack()
  }
  expectHealthy(await doctor('--whole'))
})

function matches(found: Finding, expected: object): boolean {
  try {
    expect(found).toMatchObject(expected)
    return true
  } catch {
    return false
  }
}

test.skipIf(isTerminalMissing)('on a terminal --fix asks before it changes something', { timeout: 60_000 }, async () => {
  const putBack = keepState()
  try {
    damage('update bucket_stats set live_objects = 99')
    const line = ['doctor', '--config', stage.gateway.configPath, '--only', 'storage.counts', '--fix']
    const refused = await runOnTerminal(line, { answer: [/Apply 1 fix\?/, 'no\n'] })
    expect(refused).toMatchObject({ code: 3, shown: expect.stringContaining('bucket_stats differs from the rows') })
    expect(refused.shown).not.toContain('applied storage.bucket-counts')
    const accepted = await runOnTerminal(line, { answer: [/Apply 1 fix\?/, 'yes\n'] })
    expect(accepted.shown).toContain('applied storage.bucket-counts 1')
    expect(await doctor('--only', 'storage.counts')).toMatchObject({ code: 0 })
  } finally {
    putBack()
  }
})

test('a damaged database file is one clear finding, and the other checks say why they could not run', { timeout: 60_000 }, async () => {
  const putBack = keepState()
  try {
    writeFileSync(databaseFile(), 'this is not a database, and long enough to be read as one'.repeat(100))
    const { code, report } = await doctor('--local')
    expect(code).toBe(1)
    expect(statesOf(report, ['found'])).toMatchObject([
      { name: 'kernel.database', findings: [{ severity: 'error', message: 'the file is damaged: file is not a database' }] },
    ])
    expect(statesOf(report, ['unknown'])).toContainEqual(
      expect.objectContaining({ name: 'storage.objects', reason: expect.stringMatching(/^the database \S+: file is not a database/) }),
    )
  } finally {
    putBack()
  }
})

test('a damaged page of the database is found', { timeout: 60_000 }, async () => {
  const putBack = keepState()
  try {
    const bytes = readFileSync(databaseFile())
    bytes.fill(0xff, 4096 * 4, 4096 * 40)
    writeFileSync(databaseFile(), bytes)
    const { code, report } = await doctor('--local', '--only', 'kernel.database')
    expect(code).toBe(1)
    expect(report.checks[0]?.findings[0]?.message).toMatch(/^the file is damaged: /)
  } finally {
    putBack()
  }
})

test('a pending migration is a warning, and the checks of plugins are not run on older tables', { timeout: 60_000 }, async () => {
  const putBack = keepState()
  try {
    damage(`delete from svc_migration where name like 'wallet/%'`)
    const { code, report } = await doctor('--local')
    expect(code).toBe(4)
    expect(report.checks.find(({ name }) => name === 'kernel.migrations')?.findings[0]).toMatchObject({
      severity: 'warning',
      subject: { kind: 'migration', id: expect.stringMatching(/^wallet\//) },
    })
    expect(statesOf(report, ['unknown'])).toContainEqual(
      expect.objectContaining({
        name: 'storage.objects',
        reason: expect.stringMatching(/^the database lacks \d+ migrations; run svc migrate$/),
      }),
    )
    damage(`insert into svc_migration (name) values ('storage/9999-newer')`)
    expect((await doctor('--local')).code).toBe(1)
  } finally {
    putBack()
  }
})

test('a missing database and a missing cache directory are named', { timeout: 60_000 }, async () => {
  using empty = svcHome()
  await empty.run(['init'])
  expect(await empty.run(['doctor'])).toMatchObject({ code: 4, stderr: expect.stringContaining('svc serve or svc migrate creates it') })
  await empty.run(['migrate'], { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) })
  rmSync(join(empty.dir, '.svc', 'cache'), { recursive: true, force: true })
  const { code, stdout } = await empty.run(['doctor', '--json', '--only', 'kernel.directories'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout).checks[0].findings).toMatchObject([
    { severity: 'error', subject: { kind: 'cache directory' }, message: 'the directory is missing' },
  ])
})
