import { expect, test } from 'vitest'
import { configSections, definePlugin } from '#kernel'
import { prepareKernel } from '#kernel/host'
import { chainSection } from './settings.ts'

test('I-10: the log hides the wallet key and the secret parts of the RPC URLs, but not the URLs themselves', async () => {
  const env = {
    SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32),
    SVC_CHAIN_RPC_URL: 'https://operator:password@node.example/rpc/v1?token=s3cr3t',
    SVC_CHAIN_RPC_URLS: 'https://other:f00tpass@node.example/rpc,https://third.example/?key=th1rd',
  }
  const wallet = definePlugin({ id: 'wallet', contributes: [configSections.with(chainSection)] })
  const { secrets } = await prepareKernel({ plugins: [wallet], configPath: '/nonexistent/config.toml', dataDir: '/nonexistent', env })
  expect(secrets).toEqual(
    expect.arrayContaining([env.SVC_CHAIN_PRIVATE_KEY, 'operator', 'password', 'token=s3cr3t', 'f00tpass', 'key=th1rd']),
  )
  expect(secrets.join()).not.toContain('node.example')
})

test.each([
  [4, ['must not be below chain.confirmations (5)']],
  [5, []],
])('a finality of %i epochs with 5 confirmations', async (finality, expected) => {
  const env = { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32), SVC_CHAIN_CONFIRMATIONS: '5', SVC_CHAIN_FINALITY_EPOCHS: String(finality) }
  const wallet = definePlugin({ id: 'wallet', contributes: [configSections.with(chainSection)] })
  const { config } = await prepareKernel({ plugins: [wallet], configPath: '/nonexistent/config.toml', dataDir: '/nonexistent', env })
  expect(config.problems.flatMap(({ field, message }) => (field === 'chain.finality_epochs' ? message : []))).toEqual(expected)
})
