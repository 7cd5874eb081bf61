import { expect, test } from 'vitest'
import { defineCommand, type FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'
import { completeLine } from './complete-line.ts'

const json = { type: 'switch', description: 'As JSON' } satisfies FlagSpec
const url = { type: 'text', description: 'Address' } satisfies FlagSpec
const role = { type: ['user', 'userplus', 'admin'], description: 'Role' } satisfies FlagSpec
const command = (name: string, flags: Command['flags'] = {}) =>
  defineCommand({ name, summary: `Does ${name}`, examples: [], flags, load: async () => ({ run: async () => undefined }) })

const commands = [
  command('serve'),
  command('admin status', { json, adminUrl: url }),
  command('admin user create', { json, adminUrl: url, role }),
  command('admin user list', { json, adminUrl: url }),
]
const complete = (line: string) => completeLine(line, commands)

test.each([
  ['svc', 'serve admin'],
  ['svc ', 'serve admin'],
  ['svc se', 'serve'],
  ['/usr/bin/svc  admin ', 'status user'],
  ['svc admin u', 'user'],
  ['svc admin user', 'user'],
  ['svc admin user ', 'create list'],
  ['svc admin user create ', ''],
  ['svc admin user create x', ''],
  ['svc nonsense ', ''],
  ['svc --config admin ', 'serve admin'],
  ['svc -c admin serv', 'serve'],
  ['svc --config=admin ', 'serve admin'],
  ['svc admin --json ', 'status user'],
  ['svc admin --admin-url http://h:1 user --json l', 'list'],
  ['svc admin user create --role ', 'user userplus admin'],
  ['svc admin user create --role userp', 'userplus'],
  ['svc admin user create --role user --', '--json --admin-url --role --config --help'],
  ['svc admin user list --role ', ''],
  ['svc admin user --', '--json --admin-url --config --help'],
  ['svc admin user create --r', '--role'],
  ['svc --config ', ''],
  ['svc serve --', '--config --help'],
])('"%s" completes to: %s', async (line, expected) => {
  expect((await complete(line)).map(({ text }) => text).join(' ')).toBe(expected)
})

test('each candidate has a meaning: a summary, the commands of a group, or the description of a flag', async () => {
  expect(await complete('svc ')).toEqual([
    { text: 'serve', meaning: 'Does serve' },
    { text: 'admin', meaning: 'Commands: status, user' },
  ])
  expect(await complete('svc admin user create --role a')).toEqual([{ text: 'admin', meaning: 'Role' }])
  expect(await complete('svc admin --j')).toEqual([{ text: '--json', meaning: 'As JSON' }])
})
