/** `svc admin …` against a running service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTaskCalls, type TaskCalls, taskPlugin } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import { type Service, startService } from './service.ts'

let service: Service
let tasks: TaskCalls
beforeAll(async () => {
  service = await startService({ SVC_PLUGINS_PACKAGES: taskPlugin })
  tasks = createTaskCalls(service)
})
afterAll(() => service?.[Symbol.asyncDispose]())

const svc = (...words: string[]) => service.svc('admin', ...words)
const done = (stdout: string | RegExp) => ({
  code: 0,
  stderr: '',
  stdout: typeof stdout === 'string' ? stdout : expect.stringMatching(stdout),
})

test('status shows health, version, cache and workers', async () => {
  expect(await svc('status')).toEqual(
    done(
      new RegExp(
        `^svc at ${service.adminUrl}\\nStatus: ok\\nVersion: \\S+\\nCommit: \\S+\\nBuilt: \\S+\\nUptime: \\S+\\n\\nCache\\nUSED +LIMIT +USAGE\\n.+\\n\\nWorkers\\nNAME +STATUS\\n`,
      ),
    ),
  )
})

describe('s3-user', () => {
  const create = async (...flags: string[]) => {
    const { stdout } = await svc('s3-user', 'create', ...flags)
    const [, accessKey = '', secretKey = '', role] =
      /^S3 user created\nAccess key: (\S+)\nSecret key: (\S+)\nRole: (\S+)\n$/.exec(stdout) ?? []
    return { accessKey, secretKey, role }
  }

  test('create, list, update, rotate-secret and delete work, and a secret is shown once', async () => {
    const { accessKey, secretKey, role } = await create()
    expect(role).toBe('userplus')
    expect(await svc('s3-user', 'update', accessKey, '--role', 'user')).toEqual(
      done(new RegExp(`^ACCESS_KEY +ROLE +BUCKETS +VERSIONS +SIZE +OWNER_ID\\n${accessKey} +user +0/1000 +0 +0 B +[0-9a-f]{64}\\n$`)),
    )
    const rotated = await svc('s3-user', 'rotate-secret', accessKey)
    expect(rotated).toEqual(done(new RegExp(`^S3 user secret rotated\\nAccess key: ${accessKey}\\nSecret key: \\S{43}\\nRole: user\\n$`)))
    expect(rotated.stdout).not.toContain(secretKey)
    const { stdout: list } = await svc('s3-user', 'list')
    expect(list).toMatch(new RegExp(`^${accessKey} +user +0/1000 +0 +0 B +[0-9a-f]{64}$`, 'm'))
    expect(list).not.toContain(secretKey)
    expect(await svc('s3-user', 'delete', accessKey, '--yes')).toEqual(done(`S3 user deleted: ${accessKey}\n`))
    expect((await svc('s3-user', 'list')).stdout).not.toContain(accessKey)
  })

  test.each(['user', 'userplus'])('create --role %s needs no --yes', async (role) => {
    expect(await create('--role', role)).toMatchObject({ role })
  })
})

describe('settings', () => {
  test('get shows all settings by section, one in detail, its value alone, or JSON', async () => {
    expect(await svc('settings', 'get')).toEqual(
      done(/^Config: .*config\.toml\nRestart required: no\n\n\[[\s\S]+\n\[cache\]\nKEY +VALUE +SOURCE +DEFAULT +MEANING\n/),
    )
    expect(await svc('settings', 'get', 'cache.eviction_policy')).toEqual(
      done(
        /^Setting: cache\.eviction_policy\nValue: lru\nSource: default\nDefault: lru\nAllowed: .+\nEnvironment variable: \S+\nMeaning: .+\n$/,
      ),
    )
    expect(await svc('settings', 'get', 'cache.eviction_policy', '--value')).toEqual(done('lru\n'))
    expect(JSON.parse((await svc('settings', 'get', 'chain.allow_private_networks', '--json')).stdout)).toMatchObject({
      key: 'chain.allow_private_networks',
      value: false,
      source: 'default',
      default: false,
    })
  })

  test('set saves several at once and says that a restart is needed', async () => {
    expect(await svc('settings', 'set', 'cache.max_size_gb=7', 'logging.level=debug')).toEqual(
      done('Settings saved\nRestart required: yes\n'),
    )
    expect(await svc('settings', 'get', 'cache.max_size_gb', '--value')).toEqual(done('7\n'))
    expect(await svc('settings', 'get', 'logging.level', '--value')).toEqual(done('debug\n'))
  })

  test.each([
    [['chain.copies=3'], 2, 'chain.copies is not a setting of this service; svc admin settings get shows all'],
    [['chain.private_key=x'], 2, expect.stringMatching(/^chain\.private_key is changed in \S+config\.toml only$/)],
    [['server.port=:9999'], 1, 'server.port is managed by SVC_SERVER_PORT; change it there'],
    [['cache.max_size_gb'], 2, '"cache.max_size_gb" must be key=value'],
    [['=7'], 2, '"=7" must be key=value'],
    [['logging.level=info', 'logging.level=warn'], 2, 'logging.level is given twice'],
    [['cache.max_size_gb=much'], 1, expect.stringMatching(/^cache\.max_size_gb must be a number/)],
    [['cache.max_size_gb=0'], 1, expect.stringMatching(/^cache\.max_size_gb must be at least 1/)],
    [['cache.eviction_policy=fifo'], 1, expect.stringMatching(/^cache\.eviction_policy must be (?=.*lru)(?=.*after_upload).*none/)],
    [['cache.lru_low_watermark_percent=90'], 1, expect.stringContaining('cache.lru_low_watermark_percent')],
    [['chain.default_copies=9'], 1, expect.stringMatching(/^chain\.default_copies must be at most 8/)],
  ])('set %j changes nothing and reports why in one line', async (pairs, code, message) => {
    const before = (await service.call('GET', '/api/v1/settings')).json
    const refused = await svc('settings', 'set', ...pairs)
    expect(refused).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+\n$/) })
    expect(refused.stderr.slice('fatal: '.length, -1)).toEqual(message)
    expect((await service.call('GET', '/api/v1/settings')).json).toEqual(before)
  })

  test('a setting that does not exist, or is secret, is not shown', async () => {
    expect(await svc('settings', 'get', 'chain.copies')).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a setting') })
    expect(await svc('settings', 'get', 'chain.private_key')).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('task', () => {
  const fail = async (of: 'deliver' | 'collect' = 'deliver', message = 'no') =>
    String((await tasks.putUntil('failed', { of, end: 'fail', message })).id)
  const dismissAll = () => svc('task', 'acknowledge', '--yes')

  test('list shows a page with untrusted text on one line and without its colours, and the cursor of the next page', async () => {
    const [older, newer] = [await fail(), await fail('deliver', 'the carrier\n\u001b[31mrefused')]
    const { code, stdout } = await svc('task', 'list', '--type', 'test_deliver', '--status', 'failed', '--limit', '1')
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^ID +OPERATION +STATUS +RETRIES +SUBJECT +AVAILABLE +DETAILS$/),
      expect.stringMatching(new RegExp(`^${newer} +Deliver a parcel +failed +\\S+ +parcel:parcel +\\S+Z +the carrier \\[31mrefused$`)),
      `More: --cursor ${newer}`,
      '',
    ])
    expect((await svc('task', 'list', '--type', 'test_deliver', '--cursor', newer)).stdout).toMatch(new RegExp(`^${older} `, 'm'))
    expect(await svc('task', 'list', '--status', 'cancelled')).toEqual(done('No tasks found.\n'))
    await dismissAll()
  })

  test('stats counts failed and dismissed tasks separately', async () => {
    await fail('collect')
    expect(await svc('task', 'stats')).toEqual(done(/^TYPE +STATUS +COUNT\n[\s\S]*test_collect +failed +1\n/))
    await dismissAll()
    expect((await svc('task', 'stats')).stdout).toMatch(/^test_collect +dismissed +1$/m)
  })

  test('retry reruns one and acknowledge <id> dismisses one, both without --yes', async () => {
    const id = await fail()
    expect(await svc('task', 'retry', id)).toEqual(done(`Task ${id} pending\n`))
    await until('the next failure', async () =>
      (await svc('task', 'list', '--status', 'failed')).stdout.includes(`${id} `) ? true : undefined,
    )
    expect(await svc('task', 'acknowledge', id)).toEqual(done(`Task ${id} acknowledged\n`))
    expect((await svc('task', 'list', '--status', 'dismissed')).stdout).toMatch(new RegExp(`^${id} +Deliver a parcel +dismissed `, 'm'))
    const again = await svc('task', 'acknowledge', id)
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+\n$/) })
  })

  test('acknowledge --yes dismisses failures by type and time; without --before all until now', async () => {
    await fail()
    const between = new Date().toISOString()
    await fail()
    await fail('collect')
    expect(await svc('task', 'acknowledge', '--before', between, '--yes')).toEqual(done('1 failed task acknowledged\n'))
    expect(await svc('task', 'acknowledge', '--before', '2020-01-01T00:00:00Z', '--yes')).toEqual(done('0 failed tasks acknowledged\n'))
    expect(await svc('task', 'acknowledge', '--type', 'test_deliver', '--yes')).toEqual(done('1 failed task acknowledged\n'))
    expect(await dismissAll()).toEqual(done('1 failed task acknowledged\n'))
  })

  test.each([
    [['retry', '999999'], 1, 'there is no failed task 999999'],
    [['retry', 'first'], 2, '"first" is not a task id'],
    [['retry', '0'], 2, '"0" is not a task id'],
    [['acknowledge', '1.5'], 2, '"1.5" is not a task id'],
    [['acknowledge', '1', '--type', 'test_deliver'], 2, 'an id dismisses one task; --type and --before select from all tasks'],
    [
      ['acknowledge', '1', '--before', '2020-01-01T00:00:00Z', '--yes'],
      2,
      'an id dismisses one task; --type and --before select from all tasks',
    ],
    [['acknowledge', '--before', 'yesterday', '--yes'], 2, '--before must be a time such as 2026-01-31T12:00:00Z, got "yesterday"'],
    [['acknowledge', '--before', '2026-02-30T00:00:00Z', '--yes'], 2, expect.stringContaining('--before must be a time')],
    [
      ['acknowledge', '--type', 'nonsense', '--yes'],
      1,
      expect.stringMatching(/^'nonsense' is not a task type; known types: .*test_deliver/),
    ],
    [['list', '--type', 'nonsense'], 1, expect.stringContaining("'nonsense' is not a task type")],
    [['list', '--limit', '101'], 2, '--limit must be a whole number from 1 to 100, got 101'],
    [['list', '--limit', 'many'], 2, '--limit must be a number, got "many"'],
    [['list', '--cursor', '-1'], 2, expect.stringContaining('--cursor must be a whole number')],
    [['list', '--status', 'lost'], 2, '--status must be one of pending, running, completed, failed, cancelled, dismissed, got "lost"'],
  ])('task %j is refused in one line', async (words, code, message) => {
    const refused = await svc('task', ...words)
    expect(refused).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+\n$/) })
    expect(refused.stderr.slice('fatal: '.length, -1)).toEqual(message)
  })
})
