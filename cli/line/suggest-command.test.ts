import { expect, test } from 'vitest'
import { suggestCommand } from './suggest-command.ts'

const names = [
  ...['serve', 'dev', 'version', 'help', 'plugins list', 'plugins enable', 'plugins', 'wallet deposit', 'wallet', 'provider list'],
  ...[
    'admin status',
    'admin s3-user list',
    'admin s3-user',
    'admin settings get',
    'admin task list',
    'admin task stats',
    'admin task',
    'admin',
  ],
]

test.each([
  ['serv', 0, 'serve'],
  ['hlep', 0, 'help'],
  ['status', 0, 'admin status'],
  ['deposit 5', 0, 'wallet deposit'],
  ['task list', 0, 'admin task list'],
  ['task', 0, 'admin task'],
  ['plugin', 0, 'plugins'],
  ['plugins lst', 1, 'plugins list'],
  ['admin stats', 1, 'admin status'],
  ['admin tsk', 1, 'admin task'],
  ['admin user list', 1, 'admin s3-user list'],
  ['admin task lits', 2, 'admin task list'],
  ['admin wallet deposit 5', 1, 'wallet deposit'],
  ['wallet depsit 5', 1, 'wallet deposit'],
  ['list', 0, undefined],
  ['admin frobnicate', 1, undefined],
  ['xyz', 0, undefined],
])('"%s" probably means: %s', (line, knownCount, meant) => {
  expect(suggestCommand(line.split(' '), names, knownCount)).toBe(meant)
})
