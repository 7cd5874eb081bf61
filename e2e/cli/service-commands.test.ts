/** Commands about the running service: events, readiness, one task, `--watch`, and plugins that cannot be disabled. */
import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SvcHome, svcHome } from '../../cli/testing/run-svc.ts'
import { svcProgram } from '../../cli/testing/svc-program.ts'
import { createTaskCalls, type TaskCalls, taskPlugin } from '../fixtures/task-gateway.ts'
import { isTerminalMissing, runOnTerminal } from './run-on-terminal.ts'
import { type Service, startService } from './service.ts'

let service: Service
let home: SvcHome
let tasks: TaskCalls
beforeAll(async () => {
  home = svcHome()
  service = await startService({ SVC_PLUGINS_PACKAGES: taskPlugin })
  tasks = createTaskCalls(service)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  home?.[Symbol.dispose]()
})

const admin = (...words: string[]) => service.svc('admin', ...words)
const lineOf = (words: readonly string[]) => ['admin', ...words, '--admin-url', service.adminUrl, '--config', service.configPath]
/** A separate process, which a signal can end. */
const start = (...words: string[]) => home.start(lineOf(words))

test('events are followed until Ctrl-C, under --json one object a line', async () => {
  await using lines = start('events')
  await using objects = start('events', '--json')
  await Promise.all([lines.line(/^Following the events of /), objects.line(/^Following the events of /)])
  await admin('bucket', 'create', 'announced')
  expect(await lines.line(/bucket_updated/)).toMatch(/^\S+Z \d+ bucket_updated bucket_name=announced$/)
  expect(JSON.parse(await objects.line(/bucket_updated/))).toEqual({
    seq: expect.any(Number),
    topic: 'bucket_updated',
    bucket_name: 'announced',
  })
  expect(await Promise.all([lines.stop('SIGINT'), objects.stop('SIGINT')])).toEqual([0, 0])
})

test('events into a pipe end with success when its reader closes it', async () => {
  await admin('bucket', 'create', 'piped')
  const change = () => service.call('PUT', '/api/v1/buckets/piped/owner', { json: { owner_access_key: '__internal_root__' } })
  const changes = setInterval(change, 200)
  try {
    const command = [svcProgram, ...lineOf(['events', '--json'])].map((word) => `'${word}'`).join(' ')
    const child = spawn('sh', ['-c', `{ "$0" ${command}; echo "ended with $?" >&2; } | head -n 1`, process.execPath], {
      env: { PATH: process.env.PATH, HOME: home.dir, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(JSON.parse(stdout)).toMatchObject({ topic: expect.any(String) })
    expect(stderr).toMatch(/^Following the events of \S+; Ctrl-C ends this\nended with 0\n$/)
  } finally {
    clearInterval(changes)
  }
})

test('readiness names each check with its next step, and fails while the service cannot store', async () => {
  const { code, stdout, stderr } = await admin('readiness')
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(/^Status: unknown\nChecked: \S+Z\n\nCHECK +STATUS +MESSAGE\nconfig_private_key +ready +\S/)
  expect(stdout).toMatch(/\nNext steps\n {2}sdk_client: Check chain\.rpc_url and the node, then try again\.\n/)
  const json = await admin('readiness', '--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'unknown', mode: 'runtime', checks: expect.any(Array) })
})

test('one task is shown with its reason and its next step', async () => {
  const { id } = await tasks.putUntil('failed', { end: 'fail', message: 'the carrier refused' })
  const { code, stdout } = await admin('task', 'show', String(id))
  expect(code).toBe(0)
  expect(stdout).toMatch(
    new RegExp(`^Task: ${id}\\nType: test_deliver\\nOperation: Deliver a parcel\\nStatus: failed\\nSubject: parcel:parcel\\n`),
  )
  expect(stdout).toContain('\nLast error: the carrier refused\n')
  expect(stdout).toContain(`\nNext step: svc admin task retry ${id} or svc admin task acknowledge ${id}\n`)
  const json = JSON.parse((await admin('task', 'show', String(id), '--json')).stdout)
  const { tasks: listed } = (await service.call('GET', '/api/v1/tasks')).json
  expect(listed).toContainEqual(json)
})

test.each([
  [['task', 'show', '999999'], 1, 'there is no task 999999, or it is a healthy recurring one; svc admin task list shows the tasks'],
  [['task', 'show', 'first'], 2, '"first" is not a task id'],
  [['task', 'show'], 2, 'svc admin task show needs <id>; see svc admin task show --help'],
])('%j is refused in one line', async (words, code, message) => {
  expect(await admin(...words, '--json')).toEqual({ code, stdout: '', stderr: `fatal: ${message}\n` })
})

test('--watch writes a block for each change and ends with success at Ctrl-C', async () => {
  await using list = start('task', 'list', '--type', 'test_collect', '--watch')
  await using status = start('status', '--watch', '--json')
  await list.line(/^No tasks found\.$/)
  const running = JSON.parse(await status.line(/^\{/))
  expect(running).toMatchObject({ health: { status: 'ok' }, workers: {}, cache: {} })
  const { id } = await tasks.putUntil('failed', { of: 'collect', end: 'fail' })
  await list.line(new RegExp(`^${id} +`))
  expect(await Promise.all([list.stop('SIGINT'), status.stop('SIGINT')])).toEqual([0, 0])
})

/** Moves the cursor home and clears the screen. */
const cleared = '\u001b[H\u001b[J'

test.skipIf(isTerminalMissing)('--watch refreshes a terminal in place and ends with success at Ctrl-C', async () => {
  const screen = `${cleared}svc at `.replaceAll('[', '\\[')
  // Ctrl-C on the second screen.
  const answer = [new RegExp(`${screen}[\\s\\S]*${screen}`), '\u0003'] as const
  const { code, shown } = await runOnTerminal(lineOf(['status', '--watch']), { cwd: home.dir, answer })
  expect(code).toBe(0)
  expect(shown).toMatch(new RegExp(`^${screen}\\S+\\nStatus: ok\\n`))
})

test.each(['admin', 'storage'])('the plugin %s serves the settings, so they refuse to disable it', async (id) => {
  const before = (await service.call('GET', '/api/v1/settings')).json.config
  expect(await admin('settings', 'set', `plugins.disabled=${id},s3,tasks,observability`, '--yes')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^fatal: plugins\\.disabled must not name '${id}', which .*; stop the service and use \`svc plugins disable\`\\n$`),
    ),
  })
  expect((await service.call('GET', '/api/v1/settings')).json.config).toEqual(before)
})

test('a plugin that does not serve the settings is disabled with --yes', async () => {
  expect(await admin('settings', 'set', 'plugins.disabled=observability')).toMatchObject({
    code: 2,
    stderr: 'fatal: plugins.disabled=observability must be confirmed with --yes\n',
  })
  expect((await admin('settings', 'set', 'plugins.disabled=observability', '--yes')).code).toBe(0)
})

test('settings get shows the chain node in use, where it comes from, and one section alone', async () => {
  expect((await admin('settings', 'get', 'chain.rpc_url')).stdout).toMatch(
    /^Setting: chain\.rpc_url\nValue: http:\/\/127\.0\.0\.1:9\/\nSource: environment \(SVC_CHAIN_RPC_URL\)\nDefault: https:\/\/\S+\n/,
  )
  expect((await admin('settings', 'get', 'worker.tasks')).stdout).toMatch(
    /^KEY +VALUE +SOURCE +DEFAULT +MEANING\nconcurrency +12 +default +12 +\S/,
  )
})

test('svc completes the new commands and their flags', () => {
  const complete = (line: string) =>
    spawnSync(process.execPath, [svcProgram, 'complete', line], {
      encoding: 'utf8',
      env: { HOME: home.dir, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    }).stdout
  expect(
    complete('svc admin object ')
      .split('\n')
      .map((found) => found.split('\t')[0]),
  ).toEqual(expect.arrayContaining(['list', 'upload', 'download', 'versions', 'restore', 'delete', 'status']))
  expect(complete('svc admin object download --over')).toMatch(/^--overwrite\t/)
})
