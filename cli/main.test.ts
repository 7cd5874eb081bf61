import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { main } from './main.ts'
import { svcHome } from './testing/run-svc.ts'

const countListeners = (emitter: NodeJS.EventEmitter) =>
  Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]))

const ofRunner: readonly string[] = ['Timeout', 'Immediate', 'SimpleWriteWrap']

/** Process state that a command could change, without what the test runner has open: its timers, and its messages that wait to be written. */
const inspectProcess = () => ({
  listeners: [process, process.stdout, process.stderr, process.stdin].map(countListeners),
  handles: process.getActiveResourcesInfo().filter((name) => !ofRunner.includes(name)).length,
  env: { ...process.env },
  cwd: process.cwd(),
  exitCode: process.exitCode,
})

test('fifty commands in one process leave its listeners, handles and variables unchanged', async () => {
  using home = svcHome()
  await home.run(['init', '--dir', 'data'])
  const config = join(home.dir, 'data', 'config.toml')
  const noService = ['--admin-url', 'http://127.0.0.1:9', '--config', config]
  const lines: readonly (readonly [line: readonly string[], code: number])[] = [
    [['version', '--json'], 0],
    [['--help'], 0],
    [['help', 'admin', 'task'], 0],
    [['serv'], 2],
    [['plugins', 'list', '--config', config], 0],
    [['migrate', '--config', config], 0],
    [['init', '--dir', 'data'], 1],
    [['admin', 'task', 'stats', ...noService], 1],
    [['serve', '--config', config, '--set', 'chain.private_key=0xfeedfacecafebeef'], 2],
    [['complete', 'svc adm'], 0],
  ]
  // A first run loads modules and caches.
  for (const [line] of lines) await home.run(line)
  const before = inspectProcess()
  for (let round = 0; round < 5; round++) {
    for (const [line, code] of lines) expect([line, (await home.run(line)).code]).toEqual([line, code])
  }
  expect(inspectProcess()).toEqual(before)
})

test('paths on the line start at the working directory of the caller, and ~ is the HOME of its environment', async () => {
  using home = svcHome()
  const elsewhere = { HOME: join(home.dir, 'elsewhere') }
  expect((await home.run(['init', '--dir', 'data'])).stdout).toContain(`Config: ${home.dir}/data/config.toml\n`)
  expect((await home.run(['init'], elsewhere)).stdout).toContain(`Config: ${elsewhere.HOME}/.svc/config.toml\n`)
  expect((await home.run(['plugins', 'disable', 'observability', '-c', 'data/config.toml'])).stdout).toContain(
    `Now disabled in ${home.dir}/data/config.toml`,
  )
})

test('the help has colours where its stream is a terminal, unless NO_COLOR forbids them', async () => {
  const help = async (isTTY: boolean, env: Readonly<Record<string, string>>) => {
    let shown = ''
    const stdout = {
      isTTY,
      write(text: string) {
        shown += text
      },
    }
    await main(['version', '--help'], env, { cwd: () => '/', stdin: new PassThrough().end(), stdout, stderr: stdout })
    return shown
  }
  const colour = '\u001b['
  expect(await help(true, {})).toContain(colour)
  expect(await help(false, {})).not.toContain(colour)
  expect(await help(true, { NO_COLOR: '1' })).not.toContain(colour)
  expect(await help(true, { TERM: 'dumb' })).not.toContain(colour)
  expect(await help(false, { FORCE_COLOR: '1' })).toContain(colour)
})
