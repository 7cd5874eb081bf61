import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CommandError } from '#kernel'
import { readIfExists } from './read-if-exists.ts'

test('a missing file has no text, and one that cannot be read is named', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-read-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'note')
  expect(readIfExists(path)).toBeUndefined()
  writeFileSync(path, 'text')
  expect(readIfExists(path)).toBe('text')
  const read = () => readIfExists(dir)
  expect(read).toThrow(CommandError)
  expect(read).toThrow(`${dir} cannot be read: `)
})
