import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const module = JSON.stringify(fileURLToPath(new URL('./interrupt.ts', import.meta.url)))

/** Runs the code in a process of its own, sends it the signal once it writes, and returns how it ended. */
async function interrupt(code: string, signal: NodeJS.Signals) {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { beforeSignalEnds, watchInterrupt } from ${module}\n${code}`,
  ])
  child.stdout.once('data', () => child.kill(signal))
  const [stdout, [exitCode, endedBy]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { stdout, exitCode, endedBy }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('the clean-up runs before %s ends the process', async (signal) => {
  const code = `beforeSignalEnds(() => process.stdout.write('cleaned')); setInterval(() => {}, 1000); process.stdout.write('ready ')`
  expect(await interrupt(code, signal)).toEqual({ stdout: 'ready cleaned', exitCode: null, endedBy: signal })
})

test('after the work a signal ends the process without clean-up', async () => {
  const code = `beforeSignalEnds(() => process.stdout.write('cleaned'))[Symbol.dispose](); setInterval(() => {}, 1000); process.stdout.write('ready ')`
  expect(await interrupt(code, 'SIGINT')).toEqual({ stdout: 'ready ', exitCode: null, endedBy: 'SIGINT' })
})

test('a signal that arrives twice for one key press ends a watching command normally too', async () => {
  const code = `const timer = setInterval(() => {}, 1000)
    const again = () => { process.kill(process.pid, 'SIGINT'); clearInterval(timer); process.stdout.write('ended') }
    watchInterrupt().signal.addEventListener('abort', again)
    process.stdout.write('ready ')`
  expect(await interrupt(code, 'SIGINT')).toEqual({ stdout: 'ready ended', exitCode: 0, endedBy: null })
})

test('Ctrl-C aborts the signal of a watching command, which then ends normally', async () => {
  const code = `const timer = setInterval(() => {}, 1000)
    watchInterrupt().signal.addEventListener('abort', () => { clearInterval(timer); process.stdout.write('ended') })
    process.stdout.write('ready ')`
  expect(await interrupt(code, 'SIGINT')).toEqual({ stdout: 'ready ended', exitCode: 0, endedBy: null })
})
