import { expect, test } from 'vitest'
import { whyDisablingIsRefused } from './serving-plugins-policy.ts'

const plugin = (id: string, requires: readonly string[] = []) => ({
  id,
  requires,
  accompanies: [],
  enabled: true,
  services: [],
  startMs: 0,
})
// A cycle must not hang the check: the kernel refuses it elsewhere.
const plugins = [plugin('admin', ['storage']), plugin('storage', ['wallet']), plugin('wallet', ['storage']), plugin('s3', ['storage'])]

test.each([
  [[], undefined],
  [['s3'], undefined],
  [['unknown'], undefined],
  [['s3', 'admin'], "must not name 'admin', which serves the settings"],
  [['storage'], "must not name 'storage', which 'admin' requires to serve the settings"],
  [['wallet', 's3'], "must not name 'wallet', which 'admin' requires to serve the settings"],
])('plugins.disabled = %j is refused: %s', (value, message) => {
  const refused = whyDisablingIsRefused(value, plugins)
  if (message === undefined) expect(refused).toBeUndefined()
  else expect(refused).toContain(message)
})
