import { expect, test } from 'vitest'
import { hoistFlags } from './hoist-flags.ts'

const valued = new Set(['admin-url', 'config', 'c'])

test.each([
  ['words come first, flags keep their order', 'admin --json s3-user --yes list', 'admin s3-user list --json --yes'],
  ['a value stays with its flag', 'admin --admin-url http://h:1 status', 'admin status --admin-url http://h:1'],
  ['a short flag too', '-c path serve', 'serve -c path'],
  ['a value after = is part of the flag', '--config=path serve', 'serve --config=path'],
  ['a switch takes no value', '--json serve', 'serve --json'],
  ['what looks like a flag after -- stays', 'complete -- --json admin -x', 'complete -- --json admin -x'],
  ['words after -- are words', 'admin --json -- task retry -5 x', 'admin task retry --json -- -5 x'],
  ['no words after --', 'admin --json --', 'admin --json'],
  ['a dash and a negative number are words', 'put - -5', 'put - -5'],
  ['a missing value at the end', 'serve --config', 'serve --config'],
])('%s', (_name, line, hoisted) => {
  expect(hoistFlags(line.split(' '), valued).join(' ')).toBe(hoisted)
})
