import { expect, test } from 'vitest'
import { describeProblem, type LoadedConfig } from '../config/load.ts'
import { defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'
import { findMisplacedDirectories } from './misplaced-directories.ts'
import { defineOwnedDirectory } from './owned-directory.ts'

const boxSection = defineSection('box', {
  doc: 'A box.',
  keys: { dir: setting.text({ label: 'Directory', doc: 'Of the box.', default: '/box' }) },
})
const directories = [defineOwnedDirectory('box directory', boxSection, 'dir')]

const find = (dir: string, dsn: string, sources: LoadedConfig['sources'] = new Map()) =>
  findMisplacedDirectories(
    { path: '/etc/svc/config.toml', sources, values: new Map([[boxSection.path, { dir }]]) },
    { dsn, directories },
  ).map((problem) => `${describeProblem(problem)} (${problem.blocks})`)

test.each([
  ['beside the database', '/data/box', 'file:///data/db/svc.db'],
  ['with a name that begins like that of the database', '/data/d', '/data/db/svc.db'],
  ['in the folder of the database', '/data/db/box', '/data/db/svc.db'],
  ['with a database on a server', '/data', 'postgres://svc@host/data'],
])('a folder %s is accepted', (_where, dir, dsn) => {
  expect(find(dir, dsn)).toEqual([])
})

test('a folder that contains the database or the configuration file is refused with a place for it', () => {
  const message = 'box.dir must be a folder of its own, such as /data/cache: /data contains the database /data/db/svc.db (setup)'
  expect(find('/data', 'file:///data/db/svc.db')).toEqual([message])
  expect(find('/data/db/..', '/data/db/svc.db')).toEqual([message])
  expect(find('/etc/svc', 'postgres://svc@host/data')).toEqual([
    'box.dir must be a folder of its own, such as /etc/svc/cache: /etc/svc contains the configuration file /etc/svc/config.toml (setup)',
  ])
})

test('where the folder is a variable, the problem names it', () => {
  expect(find('/data', '/data/svc.db', new Map([['box.dir', 'env']]))[0]).toMatch(/^SVC_BOX_DIR must be a folder of its own.+\(start\)$/)
})
