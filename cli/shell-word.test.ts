import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test.each([
  '/home/me/.svc-dev/gateway/config.toml',
  '/home/me/my clones/svc',
  "it's",
  '$HOME `id` "x" \\ ; & | * ? ~ # !',
  '',
  'line\nbreak',
])('a shell reads the word of %j as this text', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
})

test('a plain path stays as it is', () => {
  expect(shellWord('/srv/svc-1/config.toml')).toBe('/srv/svc-1/config.toml')
})
