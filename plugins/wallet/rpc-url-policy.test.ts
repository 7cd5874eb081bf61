import { expect, test } from 'vitest'
import { secretPartsOfRpcUrl } from './rpc-url-policy.ts'

test.each([
  ['https://api.calibration.node.glif.io/rpc/v1', []],
  ['https://node.example/rpc/v1?token=s3cr3t', ['token=s3cr3t']],
  ['https://node.example/rpc?network=calibration', ['network=calibration']],
  ['https://operator:pass%40word@node.example/', ['operator', 'pass%40word', 'pass@word']],
  ['wss://node.example/v3/0123456789abcdef0123', ['0123456789abcdef0123']],
  ['https://node.example/?key=0123456789abcdef', ['key=0123456789abcdef', '0123456789abcdef']],
  ['https://node.example/?100%', ['100%']],
  ['not a URL', []],
])('I-10: the log hides parts of %s: %j', (url, hidden) => {
  expect(secretPartsOfRpcUrl(url)).toEqual(hidden)
})
