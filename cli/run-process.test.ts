import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { svcHome } from './testing/run-svc.ts'

const url = (name: string) => new URL(name, import.meta.url).href
const program = fileURLToPath(url('./svc.js'))

test('a result larger than a pipe is written to its end before the process ends', async () => {
  using home = svcHome()
  const config = join(home.dir, 'config.toml')
  const names = Array.from({ length: 1500 }, (_, at) => `unknown_${at}`)
  writeFileSync(config, names.map((name) => `${name} = 1\n`).join(''))
  // Ends the process as soon as the command has ended.
  const code = `process.argv = ['node', 'svc', 'config', 'validate', '--json', '-c', ${JSON.stringify(config)}]
    const { runProcess } = await import(${JSON.stringify(url('./run-process.ts'))})
    process.exit(await runProcess())`
  const stdout = await new Promise<string>((resolve) => {
    const options = {
      env: { PATH: process.env.PATH, HOME: home.dir, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      maxBuffer: 16 * 1024 * 1024,
    }
    execFile(process.execPath, ['--input-type=module', '-e', code], options, (_error, written) => resolve(written))
  })
  const fields = (JSON.parse(stdout).problems as { readonly field: string }[]).map(({ field }) => field)
  expect(fields).toEqual(expect.arrayContaining(names))
})

test.skipIf(!existsSync('/dev/full'))('a standard output on a full disk ends the command with an error that says so', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [program, 'version'], { stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const [stderr, [code]] = await Promise.all([text(child.stderr as NonNullable<typeof child.stderr>), once(child, 'close')])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^fatal: standard output cannot be written: ENOSPC.*\n$/) })
})

test('a reader that closes the pipe ends the command with success', async () => {
  const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
