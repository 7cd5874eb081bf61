import { expect, test } from 'vitest'
import { createOutput } from '#cli/testing'
import { readFaucetAnswer } from './faucet-answer-policy.ts'
import type { Fetch } from './faucets.ts'
import { createRun } from './fund-testnet-command.ts'

const address = `0x${'aB'.repeat(20)}`
const hash = (digit: number) => `0x${String(digit).repeat(64)}`
const item = (faucetInfo: string, tx_hash: string) => ({ faucetInfo, tx_hash })
const failed = (faucetInfo: string, error: unknown) => ({ faucetInfo, error })
const [usdfc, fil] = [item('CalibnetUSDFC', hash(1)), item('CalibnetFIL', hash(2))]

test.each([
  [
    'a list',
    [usdfc, fil],
    200,
    {
      claims: [
        { asset: 'CalibnetUSDFC', txHash: hash(1) },
        { asset: 'CalibnetFIL', txHash: hash(2) },
      ],
    },
  ],
  [
    'a result with other spellings',
    { result: [{ faucet_info: 'tfil', tx_hash: hash(3) }] },
    200,
    { claims: [{ asset: 'CalibnetFIL', txHash: hash(3) }] },
  ],
  [
    'an error with its causes',
    { error: { message: 'partly done', cause: [usdfc, failed('fil', { ServerError: 'too\nsoon' })] } },
    429,
    {
      claims: [
        { asset: 'CalibnetUSDFC', txHash: hash(1) },
        { asset: 'CalibnetFIL', error: 'too soon' },
      ],
      error: 'partly done',
    },
  ],
  ['an error without items', { error: { message: 'rate limited' } }, 429, { claims: [], error: 'rate limited' }],
  ['an item without a reason', [failed('usdfc', null)], 200, { claims: [{ asset: 'CalibnetUSDFC', error: 'no transaction' }] }],
  ['an unknown asset', [item('Gold', hash(1))], 200, { claims: [], error: 'the response of the faucet cannot be parsed' }],
  ['an invalid hash', [item('usdfc', '\u001b[31mred')], 200, { claims: [{ asset: 'CalibnetUSDFC', error: 'no transaction' }] }],
  ['an HTML page', '<html>', 502, { claims: [], error: 'the faucet answered 502' }],
])('parses %s', (_name, body, status, expected) => {
  expect(readFaucetAnswer(typeof body === 'string' ? body : JSON.stringify(body), status)).toEqual(expected)
})

type Reply = { readonly status?: number; readonly body: unknown } | Error | 'silence'

/** Runs the command against faucets with scripted replies, in order of the requests. */
async function claim(replies: readonly Reply[], { isJson = false, timeout = 5000, to = address } = {}) {
  const requested: string[] = []
  const fetch: Fetch = async (url, { signal }) => {
    const reply = replies[requested.push(url) - 1]
    if (reply === undefined) throw new Error(`unexpected request: ${url}`)
    if (reply instanceof Error) throw reply
    if (reply === 'silence') return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return new Response(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body), { status: reply.status ?? 200 })
  }
  let stdout = ''
  const out = createOutput({ isJson, stdout: { write: (text) => (stdout += text) }, stderr: { write: () => true } })
  const code = await createRun(fetch)({ parameters: { address: to }, flags: { timeout }, env: {}, out })
  return { code, stdout, requested }
}

const forest = `https://forest-explorer.chainsafe.dev/api/claim_token_all?address=${address}`
const reiers = `https://faucet.reiers.io/api/claim_token_all?address=${address}`

test('one faucet that sends both assets suffices, and both lines have a fixed order', async () => {
  expect(await claim([{ body: [fil, usdfc] }])).toEqual({
    code: 0,
    stdout: `CalibnetUSDFC: ${hash(1)}\nCalibnetFIL: ${hash(2)}\n`,
    requested: [forest],
  })
})

test('the second faucet gets a request for the missing asset, and a received hash is kept', async () => {
  const one = await claim([
    { status: 400, body: { error: { message: 'x', cause: [fil, failed('usdfc', 'empty')] } } },
    { body: { result: [usdfc, item('fil', hash(9))] } },
  ])
  expect(one).toEqual({
    code: 0,
    stdout: `CalibnetUSDFC: ${hash(1)}\nCalibnetFIL: ${hash(2)}\n`,
    requested: [forest, `${reiers}&assets=usdfc`],
  })
  const both = await claim([{ status: 503, body: 'busy' }, { body: [usdfc, fil] }])
  expect(both).toMatchObject({ code: 0, requested: [forest, reiers] })
})

test('a missing asset is reported with the reason and exit code 1', async () => {
  const refused = await claim([{ body: [usdfc] }, { status: 429, body: { error: { message: 'come back\n tomorrow' } } }])
  expect(refused).toMatchObject({ code: 1, stdout: `CalibnetUSDFC: ${hash(1)}\nCalibnetFIL: error: come back tomorrow\n` })
  const fetchFailed = new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') })
  const { stdout, code } = await claim([fetchFailed, 'silence'], { timeout: 20, isJson: true })
  expect(code).toBe(1)
  const error = 'faucet.reiers.io: no answer within 0.02 s'
  expect(JSON.parse(stdout)).toEqual({
    address,
    results: [
      { faucet_info: 'CalibnetUSDFC', error },
      { faucet_info: 'CalibnetFIL', error },
    ],
  })
})

test('a response above the size limit is rejected', async () => {
  const { stdout, code } = await claim([{ body: 'x'.repeat(1024 * 1024 + 1) }, { status: 500, body: '' }])
  expect(code).toBe(1)
  expect(stdout).toBe('CalibnetUSDFC: error: the faucet answered 500\nCalibnetFIL: error: the faucet answered 500\n')
})

test.each(['', '0x12', `0x${'g'.repeat(40)}`, 'f410fabc', `${address}0`])('%j is not an address: no request is sent', async (to) => {
  await expect(claim([], { to })).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('0x and 40 hexadecimal digits') })
})
