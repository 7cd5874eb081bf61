import { type Claim, type FaucetAsset, faucetAssets, readFaucetAnswer, shorten } from './faucet-answer-policy.ts'

export type Fetch = (url: string, init: { readonly signal: AbortSignal }) => Promise<Response>

interface ClaimRequest {
  readonly address: string
  /** Time limit per faucet. */
  readonly timeoutMs: number
  readonly fetch: Fetch
}

const faucets = [
  { url: 'https://forest-explorer.chainsafe.dev/api/claim_token_all', takesAssets: false },
  { url: 'https://faucet.reiers.io/api/claim_token_all', takesAssets: true },
] as const
const assetParameters: Readonly<Record<FaucetAsset, string>> = { CalibnetUSDFC: 'usdfc', CalibnetFIL: 'fil' }
const answerBytesMax = 1024 * 1024

/** Claims both test assets, trying the faucets in order until each asset has a transaction. One claim per asset. Never rejects. */
export async function claimTestAssets({ address, timeoutMs, fetch }: ClaimRequest): Promise<readonly Claim[]> {
  const claims = new Map<FaucetAsset, Claim>(faucetAssets.map((asset) => [asset, { asset, error: 'no faucet answered' }]))
  for (const { url, takesAssets } of faucets) {
    const missing = [...claims.values()].filter(({ txHash }) => txHash === undefined).map(({ asset }) => asset)
    const [only, another] = missing
    if (only === undefined) break
    const query = new URLSearchParams({ address, ...(takesAssets && another === undefined ? { assets: assetParameters[only] } : {}) })
    const { claims: given, error } = await claimFrom(`${url}?${query}`, { timeoutMs, fetch })
    for (const asset of missing) {
      const claim = given.find((one) => one.asset === asset && one.txHash !== undefined) ?? given.find((one) => one.asset === asset)
      claims.set(asset, claim ?? { asset, error: error ?? 'the response of the faucet does not include it' })
    }
  }
  return [...claims.values()]
}

async function claimFrom(url: string, { timeoutMs, fetch }: Pick<ClaimRequest, 'timeoutMs' | 'fetch'>) {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { signal })
    return readFaucetAnswer(await readText(response), response.status)
  } catch (error) {
    // Try the next faucet, and keep the reason for the operator.
    const reason = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : describe(error)
    return { claims: [], error: `${new URL(url).host}: ${reason}` }
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** fetch throws only "fetch failed"; its cause has the reason. */
function describe(error: unknown): string {
  const { message, cause } = error as Error
  return shorten(cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message)
}
