/** The chain client against a scripted JSON-RPC node. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { inspect } from 'node:util'
import {
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  keccak256,
  multicall3Abi,
  numberToHex,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem'
import { afterEach, expect, test } from 'vitest'
import { ChainReverted, ChainUnreachable } from './chain-error.ts'
import { openAccount, openChain } from './clients.ts'
import { type ChainNetwork, resolveNetwork } from './networks.ts'
import { broadcast, lookUp, planCall, signTransaction } from './transactions.ts'

type Reply = { result: unknown } | { error: { code: number; message: string; data?: unknown } }
type Node = (method: string, params: readonly unknown[]) => Reply | undefined
const account = openAccount('42'.repeat(32))
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function chainOn(node: Node, changes: Partial<ChainNetwork> = {}, further: readonly Node[] = []) {
  const [rpcUrl, furtherUrls] = [await serve(node), await Promise.all(further.map(serve))]
  return openChain({ network: { ...(await resolveNetwork({ network: 'calibration', rpcUrl })), ...changes }, furtherUrls })
}

/** Serves a node and returns its URL. */
async function serve(node: Node): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as { id: number; method: string; params: unknown[] }
    const reply = node(method, params ?? []) ?? { error: { code: -32601, message: 'method not found' } }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token-secret`
}

const abi = parseAbi([
  'function answer(uint256 id) view returns (uint256)',
  'error DataSetNotLive()',
  'error Refused(uint256 id, string why)',
])
const target = '0x00000000000000000000000000000000000000aa'
const question = { address: target, abi, functionName: 'answer', args: [7n] } as const
/** Answer of the multicall contract to one call: reads go through it. */
const answered = (success: boolean, returnData: Hex) =>
  encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: [{ success, returnData }] })
const answerHex = (value: bigint) => answered(true, encodeFunctionResult({ abi, functionName: 'answer', result: value }))
const refused = encodeErrorResult({ abi, errorName: 'Refused', args: [7n, 'no'] })

test('a final read uses the head minus the confirmations', async () => {
  const blocks: unknown[] = []
  const chain = await chainOn((method, params) => {
    if (method === 'eth_blockNumber') return { result: numberToHex(1000) }
    if (method === 'eth_call') blocks.push(params[1])
    return { result: answerHex(5n) }
  })
  expect(await chain.readFinal(question)).toBe(5n)
  expect(await chain.read(question)).toBe(5n)
  expect(blocks).toEqual([numberToHex(995), 'latest'])
})

test('a decisive read waits while a further node gives another answer, or none', async () => {
  const nodeOf =
    (answer: bigint | undefined): Node =>
    (method) =>
      method === 'eth_blockNumber' ? { result: numberToHex(1000) } : answer === undefined ? undefined : { result: answerHex(answer) }
  const chain = await chainOn(nodeOf(5n), {}, [nodeOf(5n)])
  expect([await chain.readFinal(question), await chain.readAt(900n)(question), chain.unconfirmedEpochs]).toEqual([5n, 5n, 0])
  const disagreeing = await chainOn(nodeOf(5n), {}, [nodeOf(6n)])
  const error = await disagreeing.readFinal(question).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'chain_unreachable', name: 'ChainSourcesDisagree' })
  expect(inspect(error)).not.toContain('token-secret')
  expect(await disagreeing.read(question)).toBe(5n)
  await expect((await chainOn(nodeOf(5n), {}, [nodeOf(undefined)])).readFinal(question)).rejects.toThrow('No further chain node confirms')
  expect((await chainOn(nodeOf(5n))).unconfirmedEpochs).toBe(120)
})

test.each([
  ['reports a finalized block', { result: { number: numberToHex(4990), transactions: [] } }, 4990n],
  ['reports a finalized block ahead of its head', { result: { number: numberToHex(6000), transactions: [] } }, 4100n],
  ['does not support the tag', { error: { code: -32602, message: 'invalid block range' } }, 4100n],
] as const)('the finalized epoch of a node that %s', async (_what, reply, epoch) => {
  const requests: unknown[] = []
  const chain = await chainOn((method, params) => {
    if (method === 'eth_blockNumber') return { result: numberToHex(5000) }
    if (method === 'eth_getBlockByNumber') return reply
    requests.push(params[1])
    return { result: answerHex(5n) }
  })
  expect(await chain.finalizedEpoch()).toBe(epoch)
  expect(await chain.readAt(epoch)(question)).toBe(5n)
  expect(requests).toEqual([numberToHex(epoch)])
})

test('the final epoch of a young chain is 0', async () => {
  const chain = await chainOn(() => ({ result: numberToHex(3) }))
  expect([await chain.currentEpoch(), await chain.finalEpoch()]).toEqual([3n, 0n])
})

test.each([
  ['by the multicall contract', undefined],
  ['as error data', { code: 3, message: 'execution reverted', data: refused }],
  [
    'in the node’s message',
    { code: -32603, message: `message execution failed (exit=[33], revert reason=[${refused}], vm error=[${refused}])` },
  ],
])('a revert returned %s is decoded with its arguments', async (_how, error) => {
  const chain = await chainOn(() => (error === undefined ? { result: answered(false, refused) } : { error }))
  const failure = await chain.read(question).catch((reason: unknown) => reason)
  expect(failure).toBeInstanceOf(ChainReverted)
  expect(failure).toMatchObject({ code: 'chain_reverted', errorName: 'Refused', args: [7n, 'no'], selector: refused.slice(0, 10) })
})

test('a revert of an unknown selector keeps the selector', async () => {
  const chain = await chainOn(() => ({ error: { code: 3, message: 'execution reverted', data: '0xdeadbeef' } }))
  const failure = await chain.read(question).catch((reason: unknown) => reason)
  expect(failure).toMatchObject({ code: 'chain_reverted', errorName: undefined, selector: '0xdeadbeef' })
})

test.each([
  ['an RPC error', () => ({ error: { code: -32005, message: 'rate limited' } })],
  ['an address without a contract', () => ({ result: answered(true, '0x') })],
  ['a chain without the multicall contract', () => ({ result: '0x' })],
])('%s counts as unreachable', async (_what, node) => {
  const chain = await chainOn(node)
  await expect(chain.read(question)).rejects.toThrow(ChainUnreachable)
})

test.each(['', 'zz', '0x12', `${'42'.repeat(32)}00`])(
  'I-10: a malformed key %j is rejected, and the message does not contain it',
  (key) => {
    expect(() => openAccount(key)).toThrow('chain.private_key must be 32 bytes in hexadecimal.')
  },
)

const call = planCall({
  what: 'act',
  to: target,
  abi: parseAbi(['function act(uint256 id)', 'error Refused(uint256 id, string why)']),
  functionName: 'act',
  args: [1n],
})
const limits = { feePerGasMax: 10n ** 10n, totalMax: 10n ** 18n }
const signingNode: Node = (method) => {
  const replies: Record<string, unknown> = {
    eth_estimateGas: numberToHex(100_000),
    eth_getTransactionCount: numberToHex(9),
    eth_maxPriorityFeePerGas: numberToHex(1000),
    eth_getBlockByNumber: { baseFeePerGas: numberToHex(100), number: numberToHex(1000), transactions: [] },
  }
  return method in replies ? { result: replies[method] } : undefined
}

test('I-04: a transaction is signed completely and not sent', async () => {
  const requests: string[] = []
  const chain = await chainOn((method, params) => {
    requests.push(method)
    return signingNode(method, params)
  })
  const signed = await signTransaction({ chain, account, call, limits })
  expect(signed).toMatchObject({ nonce: 9, hash: keccak256(signed.raw) })
  expect(parseTransaction(signed.raw)).toMatchObject({ chainId: 314159, nonce: 9, to: target, data: call.data, gas: 125_000n })
  expect(await recoverTransactionAddress({ serializedTransaction: signed.raw as `0x02${string}` })).toBe(account.address)
  expect(requests).not.toContain('eth_sendRawTransaction')
})

test.each<readonly [what: string, lie: Record<string, unknown>, refusal: object]>([
  ['a priority fee above the limit', { eth_maxPriorityFeePerGas: numberToHex(11n * 10n ** 9n) }, { code: 'fee_above_limit' }],
  [
    'a base fee above the limit',
    { eth_getBlockByNumber: { baseFeePerGas: numberToHex(10n ** 30n), number: '0x1', transactions: [] } },
    { code: 'fee_above_limit' },
  ],
  [
    'gas whose total fee is above the limit',
    { eth_estimateGas: numberToHex(9_000_000_000), eth_maxPriorityFeePerGas: numberToHex(10n ** 9n) },
    { code: 'fee_above_limit' },
  ],
  ['more gas than a block has', { eth_estimateGas: numberToHex(2n ** 60n) }, { name: 'ChainAnswerImplausible' }],
  ['negative gas', { eth_estimateGas: -5 }, { name: 'ChainAnswerImplausible' }],
  ['a negative fee', { eth_maxPriorityFeePerGas: -5 }, { code: 'chain_unreachable' }],
  ['a huge nonce', { eth_getTransactionCount: numberToHex(2n ** 52n) }, { name: 'ChainAnswerImplausible' }],
  ['text instead of numbers', { eth_estimateGas: 'plenty' }, { code: 'chain_unreachable' }],
])('I-33: nothing is signed when the node reports %s', async (_what, lie, refusal) => {
  const chain = await chainOn((method, params) => (method in lie ? { result: lie[method] } : signingNode(method, params)))
  await expect(signTransaction({ chain, account, call, limits })).rejects.toMatchObject(refusal)
})

test('an epoch further back than finality or more than a day ahead is rejected', async () => {
  let head = 1000n
  const chain = await chainOn((method) => (method === 'eth_blockNumber' ? { result: numberToHex(head) } : undefined))
  expect(await chain.currentEpoch()).toBe(1000n)
  for (const told of [99n, 10n ** 12n]) {
    head = told
    await expect(chain.finalEpoch()).rejects.toMatchObject({ code: 'chain_unreachable', name: 'ChainAnswerImplausible' })
  }
  // A rejected answer does not affect later ones.
  head = 1001n
  expect(await chain.currentEpoch()).toBe(1001n)
})

test.each([
  ['a web page', '<html>hello</html>'],
  ['unexpected JSON', '[1, {"result": []}]'],
  ['a malformed number', '{"jsonrpc":"2.0","id":1,"result":"many"}'],
  ['an empty body', ''],
])('a node that answers with %s counts as unreachable', async (_what, body) => {
  const server = createServer((_request, response) => void response.setHeader('content-type', 'application/json').end(body))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  undo.push(() => void server.close())
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const chain = openChain({ network: await resolveNetwork({ network: 'calibration', rpcUrl }) })
  await expect(chain.currentEpoch()).rejects.toMatchObject({ code: 'chain_unreachable' })
  await expect(signTransaction({ chain, account, call, limits })).rejects.toMatchObject({ code: 'chain_unreachable' })
})

test('a redirect of the node is not followed', async () => {
  const requests: string[] = []
  const [elsewhere, node] = [createServer(), createServer()]
  for (const server of [elsewhere, node]) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    undo.push(() => void server.close())
  }
  const urlOf = (server: typeof node) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  elsewhere.on('request', (_request, response) => {
    requests.push('elsewhere')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"0x5"}')
  })
  node.on('request', (_request, response) => {
    requests.push('node')
    response.writeHead(307, { location: urlOf(elsewhere) }).end()
  })
  const chain = openChain({ network: await resolveNetwork({ network: 'calibration', rpcUrl: urlOf(node) }) })
  await expect(chain.currentEpoch()).rejects.toMatchObject({ code: 'chain_unreachable' })
  expect(new Set(requests)).toEqual(new Set(['node']))
})

test('a call that would revert is rejected before it is signed, with the contract’s reason', async () => {
  const chain = await chainOn((method, params) =>
    method === 'eth_estimateGas' ? { error: { code: 3, message: 'execution reverted', data: refused } } : signingNode(method, params),
  )
  await expect(signTransaction({ chain, account, call, limits })).rejects.toMatchObject({
    code: 'chain_reverted',
    errorName: 'Refused',
    args: [7n, 'no'],
  })
})

test.each([
  ['an unreachable node', undefined],
  ['an RPC error', { code: -32005, message: 'rate limited' }],
  ['a revert with a known reason', { code: 3, message: 'execution reverted', data: refused }],
  ['a revert with an unknown reason', { code: 3, message: 'execution reverted', data: '0xdeadbeef' }],
])('I-10: errors of a read and an estimate with %s do not contain the RPC URL', async (_why, error) => {
  const chain = await chainOn(
    (method, params) => (error && /_call|_estimateGas/.test(method) ? { error } : signingNode(method, params)),
    error ? {} : { rpcUrl: 'http://127.0.0.1:1/token-secret' },
  )
  const attempts = [chain.read(question), signTransaction({ chain, account, call, limits })]
  for (const attempt of await Promise.allSettled(attempts)) {
    if (attempt.status === 'fulfilled') throw new Error('expected a failure')
    expect(attempt.reason.cause).toBeInstanceOf(Error)
    // Includes every cause with its stack and properties.
    expect(inspect(attempt.reason, { depth: null, showHidden: true })).not.toContain('token-secret')
  }
})

const raw: Hex = '0x02c0'
test.each([
  ['accepts', { result: keccak256(raw) }, false, { kind: 'sent' }],
  ['already has it', { error: { code: -32000, message: 'already known' } }, true, { kind: 'sent' }],
  ['reports a used nonce', { error: { code: -32000, message: 'nonce too low: next nonce 4' } }, false, { kind: 'uncertain' }],
  [
    'reports missing FIL for gas',
    { error: { code: -32000, message: 'insufficient funds for gas * price + value' } },
    false,
    { kind: 'refused', reason: 'insufficient_gas_funds' },
  ],
  ['fails with another error', { error: { code: -32603, message: 'mpool push failed' } }, false, { kind: 'uncertain' }],
])('a broadcast to a node that %s', async (_what, reply, isKnown, expected) => {
  const chain = await chainOn((method) => (method === 'eth_sendRawTransaction' ? reply : { result: isKnown ? transaction : null }))
  expect(await broadcast(chain, raw)).toMatchObject(expected)
})

const transaction = { hash: keccak256(raw), type: '0x2', nonce: '0x4', blockNumber: null, value: '0x0', gas: '0x1', input: '0x' }
const receipt = (status: string, block: number) => ({
  transactionHash: keccak256(raw),
  status,
  blockNumber: numberToHex(block),
  logs: [],
  type: '0x2',
})

test.each([
  // receipt, nonce at the final epoch, known transaction -> state (head 1000, final 995, own nonce 4)
  [receipt('0x1', 990), 5, null, { state: 'confirmed', epoch: 990n }],
  [receipt('0x0', 995), 5, null, { state: 'reverted', epoch: 995n }],
  [receipt('0x1', 996), 4, null, { state: 'pending', epoch: 996n }],
  [null, 4, transaction, { state: 'pending' }],
  [null, 4, null, { state: 'unknown' }],
  // The node shows no block with the transaction that used the nonce.
  [null, 5, null, { state: 'hidden' }],
])('looking up a transaction, case %#', async (minedReceipt, finalNonce, known, expected) => {
  const requests: unknown[] = []
  const chain = await chainOn((method, params) => {
    requests.push([method, params])
    const replies: Record<string, unknown> = {
      eth_blockNumber: numberToHex(1000),
      eth_getTransactionCount: numberToHex(finalNonce),
      eth_getTransactionReceipt: minedReceipt,
      eth_getTransactionByHash: known,
    }
    return { result: replies[method] }
  })
  expect(await lookUp(chain, account.address, { hash: keccak256(raw), nonce: 4 })).toEqual(expected)
  expect(requests).toContainEqual(['eth_getTransactionCount', [account.address, numberToHex(995)]])
})
