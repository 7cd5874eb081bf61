import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { oldNodeFlags } from './testing/old-node.ts'

const program = fileURLToPath(new URL('./svc.js', import.meta.url))

function runOnOldNode(
  path: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...oldNodeFlags, path, ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

test('on an older Node the program starts itself on the pinned one and passes on its exit code', async () => {
  const version = await runOnOldNode(program, 'version')
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc \d/), stderr: '' })
  expect((await runOnOldNode(program, 'serv')).code).toBe(2)
})

test('a shell starts the program with the heap limits that svc has on the pinned Node', async () => {
  const { nodeFlags } = await import(new URL('./pinned-node.js', import.meta.url).href)
  expect(readFileSync(program, 'utf8').split('\n')[0]).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(' ')}`)
  // A misspelt flag ends Node.
  expect(spawnSync(program, ['version'], { env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } }).status).toBe(0)
})

test('without the pinned Node one line says what is needed, in a package and in a clone', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-old-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'cli'))
  copyFileSync(program, join(dir, 'cli', 'svc.mjs'))
  copyFileSync(fileURLToPath(new URL('./pinned-node.js', import.meta.url)), join(dir, 'cli', 'pinned-node.js'))
  const needed = 'fatal: svc needs Node 24 or later; this is v20.1.0. Install it'
  expect(await runOnOldNode(join(dir, 'cli', 'svc.mjs'), 'version')).toEqual({ code: 1, stdout: '', stderr: `${needed}\n` })
  writeFileSync(join(dir, 'package-lock.json'), '{}')
  expect(await runOnOldNode(join(dir, 'cli', 'svc.mjs'), 'version')).toEqual({
    code: 1,
    stdout: '',
    stderr: `${needed}, or run \`npm ci\` in ${dir}/\n`,
  })
})

test('in a clone without its dependencies one line says how to install them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bare-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'cli'))
  writeFileSync(join(dir, 'package-lock.json'), '{}')
  copyFileSync(program, join(dir, 'cli', 'svc.mjs'))
  const run = spawnSync(process.execPath, [join(dir, 'cli', 'svc.mjs'), 'version'], { encoding: 'utf8' })
  expect([run.status, run.stdout, run.stderr]).toEqual([1, '', `fatal: svc is not installed; run \`npm ci\` in ${dir}/\n`])
})

test('a link to the program starts it from any directory', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-link-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  symlinkSync(program, join(dir, 'svc'))
  const run = spawnSync('svc', ['version'], {
    cwd: dir,
    env: { PATH: `${dir}:${dirname(process.execPath)}:/usr/bin:/bin` },
    encoding: 'utf8',
  })
  expect([run.status, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toMatch(/^svc \d/)
})

test('the size of the thread pool is set before its first use', async () => {
  const count = 'data:text/javascript,process.on("exit",()=>process.stderr.write(process.env.UV_THREADPOOL_SIZE))'
  const stderr = await new Promise((resolve) => {
    execFile(process.execPath, ['--import', count, program, 'version'], { env: { PATH: process.env.PATH } }, (_error, _stdout, text) =>
      resolve(text),
    )
  })
  expect(stderr).toBe('64')
})

test('the program ends with its command, also when a library left a timer running', async () => {
  const forgotten = 'data:text/javascript,setInterval(() => {}, 60_000)'
  const code = await new Promise((resolve) => {
    execFile(process.execPath, ['--import', forgotten, program, 'serv'], { timeout: 30_000 }, (error) => resolve(error?.code))
  })
  expect(code).toBe(2)
})

test.skipIf(!existsSync('/dev/full'))('a full disk under the log does not end the program', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [program, 'serv'], { stdio: ['ignore', 'ignore', full] })
  closeSync(full)
  // 2 for a usage error; a failed log write would end the program with 1.
  expect(await once(child, 'exit')).toEqual([2, null])
})
