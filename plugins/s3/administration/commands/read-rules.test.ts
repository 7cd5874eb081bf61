import { expect, test } from 'vitest'
import { changeCors, changeLifecycle } from '../bucket-setting-api.ts'
import { readRules } from './read-rules.ts'

const read = (subject: 'cors' | 'lifecycle', text: string) =>
  subject === 'cors'
    ? readRules({ name: 'rules.json', text }, { schema: changeCors.body, command: 'admin bucket cors' })
    : readRules({ name: 'rules.json', text }, { schema: changeLifecycle.body, command: 'admin bucket lifecycle' })

test('rules in the form of the Admin API are read', () => {
  const rules = [{ id: 'a', enabled: true, prefix: 'logs/', tags: [{ key: 'a', value: 'b' }], expire_date: '2030-01-31' }]
  expect(read('lifecycle', JSON.stringify({ rules }))).toEqual({ rules })
  expect(read('cors', '{"rules": []}')).toEqual({ rules: [] })
})

test.each([
  ['cors', '{\n"rule": []}', 'line 1: rules is missing, it must be an array; line 2: rule is not known here'],
  ['cors', '{"rules": [],\n"a\\n\\u001b[31m": 1}', 'line 2: a [31m is not known here'],
  ['cors', '[]', 'line 1: rules is missing, it must be an array'],
  ['cors', 'null', 'line 1: the JSON must be an object'],
  [
    'cors',
    '{"rules": [\n{\n"allowed_origins": "*"\n}]}',
    'line 2: rules.0.allowed_headers is missing, it must be an array; line 2: rules.0.allowed_methods is missing, it must be an array; line 3: rules.0.allowed_origins must be an array; and 1 more',
  ],
  ['lifecycle', '{"rules": [\n{"enabled": true,\n"expire_day": 3}]}', 'line 3: rules.0.expire_day is not known here'],
  [
    'lifecycle',
    '{"rules": [\n{"enabled": true,\n"tags": [\n{"key": "a",\n"values": "b"}]}]}',
    'line 4: rules.0.tags.0.value is missing, it must be a string; line 5: rules.0.tags.0.values is not known here',
  ],
  ['lifecycle', '{"rules": [\n{"enabled": true,\n"expire_days": 0}]}', 'line 3: rules.0.expire_days must be positive'],
  [
    'lifecycle',
    '{"rules": [\n{"enabled": true,\n"remove_expired_markers": false}]}',
    'line 3: rules.0.remove_expired_markers must be true',
  ],
  ['lifecycle', '{"rules": [\n{"expire_days": 3}]}', 'line 2: rules.0.enabled is missing, it must be boolean'],
  ['lifecycle', '{"rules": [\n{"enabled": true\n"expire_days": 3}]}', 'line 3: rules.0 needs a comma or }, not "\\""'],
] as const)('%s %j is a usage error with line and member', (subject, text, problems) => {
  expect(() => read(subject, text)).toThrow(
    expect.objectContaining({ message: `rules.json, ${problems}; see svc admin bucket ${subject} --help`, exitCode: 2 }),
  )
})
