import { expect, test } from 'vitest'
import { suiteSettings, writeSuiteConfig } from './suite-config.ts'

test('the configuration names the gateway, the users and every section that the suite reads', () => {
  const user = (name: string) => ({ access_key: `${name}-key`, owner_id: `${name}-id`, secret_key: `${name}-secret` })
  const text = writeSuiteConfig('http://127.0.0.1:8080', { main: user('main'), alt: user('alt'), tenant: user('tenant') })
  const sections = [...text.matchAll(/^\[(.+)\]$/gm)].map(([, name]) => name)
  expect(sections).toEqual(['DEFAULT', 'fixtures', 's3 main', 's3 alt', 's3 tenant', 'iam', 'iam root', 'iam alt root'])
  expect(text).toContain('[DEFAULT]\nhost = 127.0.0.1\nport = 8080\nis_secure = False\n')
  expect(text).toContain(
    '[s3 alt]\ndisplay_name = alt-id\nuser_id = alt-id\nemail = alt@example.com\naccess_key = alt-key\nsecret_key = alt-secret\n',
  )
  expect(text).toContain('tenant = testx\n')
  // The suite waits for days of this length.
  const [, seconds] = /^\[s3 main\]\n(?:.+\n)*lc_debug_interval = (\d+)$/m.exec(text) ?? []
  expect(suiteSettings['lifecycle.day']).toBe(`${seconds}s`)
})
