import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { requireCheckout } from './pytest.ts'
import { requirePython } from './python.ts'

test('a missing Python is reported with its path', () => {
  expect(() => requirePython('/nowhere/python')).toThrow('/nowhere/python is not a usable Python')
})

test('a Python without packages is reported with the command that installs them', () => {
  using dir = temporaryDirectory()
  const python = join(dir.path, 'python')
  writeFileSync(python, '#!/bin/sh\necho munch yaml\n', { mode: 0o755 })
  expect(() => requirePython(python)).toThrow(`${python} -m pip install munch PyYAML`)
})

test('a directory that is not a checkout of the suite is reported with the missing file', () => {
  using dir = temporaryDirectory()
  expect(() => requireCheckout(dir.path)).toThrow(/is not a checkout of ceph\/s3-tests: s3tests\/functional\/test_s3\.py/)
})
