import { expect, test } from 'vitest'
import { judgeIdentity } from './identity-policy.ts'

const none = { all: 0, here: 0 }
const lost = { all: 10, here: 0 }
const half = { all: 10, here: 5 }
const most = { all: 10, here: 6 }

test.each([
  ['a new database and a new folder', { recorded: undefined, found: undefined, files: none }, 'make'],
  ['the recorded folder', { recorded: 'a', found: 'a', files: most }, 'use'],
  ['a new database in the folder of another one', { recorded: undefined, found: 'a', files: none }, 'use'],
  ['a database that an old backup restored', { recorded: undefined, found: 'a', files: lost }, 'use'],
  ['an earlier version, and the folders of its files', { recorded: undefined, found: undefined, files: most }, 'make'],
  ['an earlier version, and folders that it made below the mount point', { recorded: undefined, found: undefined, files: half }, 'refuse'],
  ['an earlier version, and an empty mount point', { recorded: undefined, found: undefined, files: lost }, 'refuse'],
  ['an empty mount point', { recorded: 'a', found: undefined, files: lost }, 'refuse'],
  ['a mount point with folders of most files', { recorded: 'a', found: undefined, files: most }, 'refuse'],
  ['the disk of another cache', { recorded: 'a', found: 'b', files: most }, 'refuse'],
  ['a database without cached files, and another folder', { recorded: 'a', found: undefined, files: none }, 'make'],
  ['a database without cached files, and the folder of another cache', { recorded: 'a', found: 'b', files: none }, 'use'],
  ['an empty identity file, by which the operator accepts the folder', { recorded: 'a', found: '', files: lost }, 'make'],
] as const)('%s', (_case, facts, decision) => {
  expect(judgeIdentity(facts)).toBe(decision)
})
