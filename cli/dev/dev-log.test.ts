import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDevLog } from './dev-log.ts'

test('the file gets every line with its stack, and warnings and errors are shown on one line', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-dev-log-'))
  try {
    const path = join(dir, 'svc.log')
    const shown: string[] = []
    using log = openDevLog(path, ['0xfeedfacecafebeef'], (line) => shown.push(line))
    // The S3 API writes a line for each request.
    for (let i = 0; i < 3; i++) log.log.child('s3-access').info('request', { method: 'GET', key: ' WARN ' })
    log.log.child('tasks').warn('a task failed', { note: '0xfeedfacecafebeef', error: new Error('the provider refused') })
    log.writeLine('a line of the devnet')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.at(-1)).toBe('a line of the devnet')
    expect(lines.filter((line) => /^ +at /.test(line)).length).toBeGreaterThan(0)
    expect(shown).toEqual([expect.stringMatching(/WARN {2}tasks: a task failed note=\(hidden\) error=the provider refused$/)])
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test.skipIf(!existsSync('/dev/full'))('on a full disk the lines of the log are lost and the run continues', () => {
  const shown: string[] = []
  using log = openDevLog('/dev/full', [], (line) => shown.push(line))
  log.log.warn('a task failed')
  log.writeLine('a line of the devnet')
  expect(shown).toHaveLength(1)
})
