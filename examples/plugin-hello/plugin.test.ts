import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cliCommands, database, events, type Log, taskQueue } from 'svc/kernel'
import { contributionsTo, prepareKernel } from 'svc/kernel/host'
import { silentLog, testKernel } from 'svc/kernel/testing'
import { expect, test } from 'vitest'
import { greetTask } from './greet-task.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const here = { 'plugins.packages': [folder] }
const eventMs = 10_000

type Svc = Awaited<ReturnType<typeof testKernel>>

/** Resolves with the next greeting event. */
function nextGreeting({ kernel }: Svc): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const end = kernel.get(events).subscribe(({ topic, payload }) => topic === 'hello.greeted' && resolve(payload))
  const timer = setTimeout(() => reject(new Error(`no greeting within ${eventMs} ms`)), eventMs)
  return promise.finally(() => {
    clearTimeout(timer)
    end()
  })
}

/** Runs the command line with the configuration of the test kernel. */
async function runSvc(dir: string, ...args: string[]): Promise<string> {
  const program = fileURLToPath(new URL('../../cli/svc.js', import.meta.url))
  const env = { PATH: process.env.PATH, HOME: dir, SVC_CONFIG: join(dir, 'config.toml') }
  // Failures are returned like results.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args], { env }).catch((error) => error)
  return stdout + stderr
}

test('a folder in plugins.packages adds a route, a setting, a task, an event and a command', async () => {
  await using svc = await testKernel({ plugins: [], config: { ...here, 'hello.greeting': 'Ahoy' } })
  expect((await svc.call('GET', '/api/v1/hello?name=Ada')).body).toEqual({ message: 'Ahoy, Ada!' })
  expect((await svc.call('GET', '/api/v1/hello')).body).toEqual({ message: 'Ahoy, world!' })
  const greeting = nextGreeting(svc)
  expect(await svc.call('POST', '/api/v1/hello', { name: 'Ada' })).toMatchObject({ status: 202, body: { task_id: expect.any(Number) } })
  expect(await greeting).toEqual({ message: 'Ahoy, Ada!' })
  expect(await runSvc(svc.dir, 'hello', 'Ada')).toBe('Ahoy, Ada!\n')
})

test('its routes require operator credentials, because their group declares no access', async () => {
  await using svc = await testKernel({ plugins: [], config: here })
  for (const method of ['GET', 'POST']) expect((await fetch(`${svc.url}/api/v1/hello`, { method })).status).toBe(401)
})

test('invalid bodies are rejected', async () => {
  await using svc = await testKernel({ plugins: [], config: here })
  expect(await svc.call('POST', '/api/v1/hello', { name: '' })).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test('when disabled, its route answers plugin_disabled and its command and task kind are unavailable', async () => {
  await using svc = await testKernel({ plugins: [], config: { ...here, 'plugins.disabled': ['hello'] } })
  expect(await svc.call('GET', '/api/v1/hello')).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
  expect(svc.kernel.state.plugins).toMatchObject([{ id: 'hello', enabled: false }])
  const prepared = await prepareKernel({ plugins: [], configPath: join(svc.dir, 'config.toml'), dataDir: svc.dir, env: {} })
  expect(contributionsTo(cliCommands, prepared.enabled)).toEqual([])
  expect(await runSvc(svc.dir, 'hello')).toContain("belongs to the plugin 'hello', which is disabled")
})

test('a task waits while the plugin is disabled and runs when it is enabled again', async () => {
  await using off = await testKernel({ plugins: [], config: { ...here, 'plugins.disabled': ['hello'] } })
  await off.kernel.get(database).write((tx) => off.kernel.get(taskQueue).add(tx, greetTask, { name: 'Ada' }))
  await off.kernel.stop()
  const greeting = Promise.withResolvers<unknown>()
  const log: Log = {
    ...silentLog,
    info: (message, fields) => message === 'greeted' && greeting.resolve(fields?.message),
    child: () => log,
  }
  await using _on = await testKernel({ plugins: [], dir: off.dir, config: { 'plugins.disabled': [] }, log })
  expect(await greeting.promise).toBe('Hello, Ada!')
})
