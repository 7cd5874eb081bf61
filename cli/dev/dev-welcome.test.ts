import { expect, test } from 'vitest'
import { renderWelcome } from './dev-welcome.ts'

test('paths with blanks are quoted for the shell', () => {
  const text = renderWelcome({
    adminUrl: 'http://127.0.0.1:9090',
    s3Url: 'http://127.0.0.1:8080',
    region: 'us-east-1',
    gateway: { configPath: '/my clones/config.toml', username: 'admin', password: 'secret' },
    s3: { access_key: 'key', secret_key: 'secret' },
    devnet: { info: '', control_url: '', rpc_url: '', providers: [] },
    sizes: { sizeBytesMin: 127, sizeBytesMax: 1000 },
    logPath: '/my clones/svc.log',
    svc: 'svc',
  })
  expect(text).toContain("\n  Config     '/my clones/config.toml'\n  Log        '/my clones/svc.log'\n")
  expect(text).toContain("\n  export SVC_CONFIG='/my clones/config.toml'\n")
})
