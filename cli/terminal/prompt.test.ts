import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const prompt = fileURLToPath(new URL('./prompt.ts', import.meta.url))
const asking = `import { promptSecret } from ${JSON.stringify(prompt)}
const answer = await promptSecret('Password: ', process).catch((error) => 'refused: ' + error.message)
process.stdout.write('[' + answer + ']')`

test('without a terminal nothing is asked', async () => {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', asking])
  run.child.stdin?.end('typed\n')
  expect(await run).toEqual({ stdout: '[refused: cannot ask "Password:": there is no terminal]', stderr: '' })
})

/** Runs the question on a terminal of its own, types the keys once it is asked, and returns all that the terminal shows. */
async function typeOnTerminal(keys: string): Promise<string> {
  const command = [process.execPath, '--input-type=module', '-e', asking].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!shown.includes('Password: ') && (shown + text).includes('Password: ')) child.stdin.write(keys)
    shown += text
  })
  await once(child, 'close')
  return shown
}

test.runIf(process.platform === 'linux')('typed characters are not echoed', async () => {
  const shown = await typeOnTerminal('hunter2\r')
  expect(shown).toContain('[hunter2]')
  expect(shown.split('[hunter2]')[0]).not.toContain('hunter')
})

test.runIf(process.platform === 'linux')('Ctrl-C cancels', async () => {
  expect(await typeOnTerminal('hun\x03')).toContain('[refused: cancelled')
})
