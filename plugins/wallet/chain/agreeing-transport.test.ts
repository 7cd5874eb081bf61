import { createPublicClient, custom, numberToHex, RpcRequestError, toHex } from 'viem'
import { expect, test } from 'vitest'
import { agreeingTransport, type ChainSource } from './agreeing-transport.ts'

type Answer = (method: string) => unknown
const at = numberToHex(995)
const call = { method: 'eth_call', params: [{ to: `0x${'a'.repeat(40)}`, data: '0x01' }, at] } as {
  method: 'eth_call'
  params: [object, `0x${string}`]
}

function reverts(data: string): never {
  throw new RpcRequestError({ body: {}, url: 'http://node/token', error: { code: 3, message: 'execution reverted', data } })
}
const silent = (): never => {
  throw new Error('no connection')
}

/** A client of the nodes `first.example`, `further-0.example` and so on, and the hosts that were asked. */
function clientOf(...nodes: readonly Answer[]) {
  const asked: string[] = []
  const [first, ...others] = nodes.map((answer, index): ChainSource => {
    const host = index === 0 ? 'first.example' : `further-${index - 1}.example`
    const request = async ({ method }: { method: string }) => {
      asked.push(host)
      return answer(method)
    }
    return { host, transport: custom({ request }, { retryCount: 0 }) }
  })
  if (!first) throw new Error('a client needs a node')
  return { asked, client: createPublicClient({ transport: agreeingTransport(first, others) }) }
}

test('an answer for a numbered block is used when a further node gives it too', async () => {
  const { client, asked } = clientOf(
    () => '0xAb',
    silent,
    () => '0xab',
  )
  expect(await client.request(call)).toBe('0xAb')
  expect(asked).toEqual(['first.example', 'further-0.example', 'further-1.example'])
})

const waits: readonly (readonly [string, readonly Answer[], RegExp])[] = [
  [
    'another answer of one of two further nodes',
    [() => '0x01', () => '0x01', () => '0x02'],
    /first\.example and further-1\.example give different answers/,
  ],
  ['a revert of the first node alone', [() => reverts('0x08c379a0'), () => '0x01'], /give different answers to eth_call/],
  ['reverts for different reasons', [() => reverts('0x08c379a0'), () => reverts('0x4e487b71')], /give different answers to eth_call/],
  [
    'no answer of the further node',
    [() => '0x01', silent],
    /No further chain node confirms the answer to eth_call\. Check further-0\.example/,
  ],
  ['a revert that no further node confirms', [() => reverts('0x08c379a0'), silent], /No further chain node confirms/],
]

test.each(waits)('%s makes the work wait', async (_name, nodes, message) => {
  const error = await clientOf(...nodes)
    .client.request(call)
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'chain_unreachable', message: expect.stringMatching(message) })
  expect(String(error)).not.toContain('token')
})

test('a revert that a further node confirms is a revert', async () => {
  const { client } = clientOf(
    () => reverts('0x08c379a0'),
    () => reverts('0x08c379a0'),
  )
  await expect(client.request(call)).rejects.toMatchObject({ code: 3 })
})

test('transaction counts at a numbered block and receipts are confirmed too', async () => {
  const receipts = [
    { status: '0x1', blockNumber: '0x3', logs: [] },
    { status: '0x0', blockNumber: '0x3' },
  ]
  const nodes = receipts.map((receipt, index) => (method: string) => (method === 'eth_getTransactionReceipt' ? receipt : toHex(index)))
  const { client } = clientOf(...nodes)
  const address = `0x${'a'.repeat(40)}` as const
  await expect(client.getTransactionCount({ address, blockNumber: 995n })).rejects.toThrow(
    'give different answers to eth_getTransactionCount',
  )
  await expect(client.getTransactionReceipt({ hash: `0x${'b'.repeat(64)}` })).rejects.toThrow(
    'give different answers to eth_getTransactionReceipt',
  )
})

test('the head is that of the first node, which alone is asked', async () => {
  const { client, asked } = clientOf(() => '0x3e8', silent)
  expect(await client.request({ method: 'eth_blockNumber' })).toBe('0x3e8')
  expect(await client.request({ ...call, params: [call.params[0], 'latest'] })).toBe('0x3e8')
  expect(asked).toEqual(['first.example', 'first.example'])
})

test('the finalized block is that of the node that finalizes last, and none without the answer of each', async () => {
  const block = (number: number) => () => ({ number: numberToHex(number) })
  const finalized = { method: 'eth_getBlockByNumber', params: ['finalized', false] } as {
    method: 'eth_getBlockByNumber'
    params: ['finalized', false]
  }
  expect(await clientOf(block(900), block(800)).client.request(finalized)).toEqual({ number: numberToHex(800) })
  await expect(clientOf(block(900), silent).client.request(finalized)).rejects.toThrow('no connection')
})
