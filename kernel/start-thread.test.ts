import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const limitMb = "Math.round(require('node:v8').getHeapStatistics().heap_size_limit / 1024 / 1024)"
const threadFile = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  import { parentPort } from 'node:worker_threads'
  const require = createRequire('/')
  parentPort.postMessage(${limitMb})
`)}`

test('a thread has its own heap limits, and the main thread keeps the flags of the process', async () => {
  const { nodeFlags } = await import(new URL('../cli/pinned-node.js', import.meta.url).href)
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
