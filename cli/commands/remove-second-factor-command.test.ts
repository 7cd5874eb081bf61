import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { factorPath } from '#kernel/host'
import { createOutput } from '../terminal/output.ts'
import { run } from './remove-second-factor-command.ts'

test('the file of the second factor is removed, and a second time it is said that there is none', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-remove-factor-'))
  const config = join(dir, 'config.toml')
  const path = factorPath(config)
  // A damaged file is removed too: it stops the start.
  writeFileSync(path, 'damaged')
  const printed: string[] = []
  const out = createOutput({ isJson: false, stdout: { write: (text: string) => printed.push(text) > 0 }, stderr: { write: () => true } })
  const call = { parameters: {}, flags: { config }, env: {}, out }
  await run(call)
  expect([existsSync(path), printed.join('')]).toEqual([
    false,
    `${path} is removed. Restart the service; the password alone signs in then.\n`,
  ])
  await expect(run(call)).rejects.toThrow(`the second factor is off: there is no ${path}`)
  rmSync(dir, { recursive: true, force: true })
})
