import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** The folder of the compile cache in the main thread and in a thread. A process of its own: Node enables the cache once. */
async function cachesOf(enable: string): Promise<readonly string[]> {
  const tell = `import { getCompileCacheDir } from 'node:module'; console.log(getCompileCacheDir())`
  const code = `import module from 'node:module'
    ${enable}
    const { startThread } = await import(${JSON.stringify(new URL('./start-thread.ts', import.meta.url).href)})
    console.log(module.getCompileCacheDir())
    startThread(new URL(${JSON.stringify(`data:text/javascript,${tell}`)}), {})`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env: { PATH: process.env.PATH } })
  return stdout.trim().split('\n')
}

test('a thread uses the compile cache of the main thread, and none when that has none', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-threads-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const [main, thread] = await cachesOf(`module.enableCompileCache(${JSON.stringify(dir)})`)
  expect(main?.startsWith(dir)).toBe(true)
  expect(thread).toBe(main)
  expect(await cachesOf('')).toEqual(['undefined', 'undefined'])
})

const limitMb = "Math.round(require('node:v8').getHeapStatistics().heap_size_limit / 1024 / 1024)"
const threadFile = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  import { parentPort } from 'node:worker_threads'
  const require = createRequire('/')
  parentPort.postMessage(${limitMb})
`)}`

test('a thread has its own heap limits, and the main thread keeps the flags of the process', async () => {
  const { nodeFlags } = await import(new URL('../../cli/pinned-node.js', import.meta.url).href)
  const program = `
    const require = (await import('node:module')).createRequire('/')
    const { startThread } = await import(${JSON.stringify(new URL('./start-thread.ts', import.meta.url).href)})
    const before = ${limitMb}
    const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }
    const thread = startThread(new URL(${JSON.stringify(threadFile)}), { resourceLimits })
    thread.once('message', (limit) => console.log(JSON.stringify({ before, after: ${limitMb}, limit })))
  `
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeFlags, '--input-type=module', '--eval', program])
  const { before, after, limit } = JSON.parse(stdout)
  expect(before).toBeGreaterThanOrEqual(1024)
  expect(after).toBe(before)
  // V8 rounds the sizes.
  expect(limit).toBeGreaterThanOrEqual(32)
  expect(limit).toBeLessThan(48)
})
