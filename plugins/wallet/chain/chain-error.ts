/** Errors of chain calls, converted from viem's. */
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  decodeErrorResult,
  formatUnits,
  type Hex,
  HttpRequestError,
  isHex,
  size,
} from 'viem'

/** The node returned no usable answer: no connection, timeout, HTTP or RPC error, or no contract at the address. Retry later. */
export class ChainUnreachable extends Error {
  override readonly name: string = 'ChainUnreachable'
  readonly code = 'chain_unreachable'
}

/** The node returned an impossible value. It is not used; work waits as if the node were unreachable. */
export class ChainAnswerImplausible extends ChainUnreachable {
  override readonly name = 'ChainAnswerImplausible'

  /** @param answer for example `a balance of -1` */
  constructor(answer: string) {
    super(`The chain node reported ${answer}, which is impossible. Check the node, or set another one in chain.rpc_url.`)
  }
}

/** Two nodes gave different answers about one block. None is used; work waits as if the nodes were unreachable. */
export class ChainSourcesDisagree extends ChainUnreachable {
  override readonly name = 'ChainSourcesDisagree'

  constructor(method: string, hosts: readonly [string, string]) {
    super(
      `The chain nodes ${hosts[0]} and ${hosts[1]} give different answers to ${method}. Find out which of them is wrong, and replace it in chain.rpc_url or chain.rpc_urls.`,
    )
  }
}

/** Units of the fee settings; `decimals` relative to 10^-18 FIL. */
const feeUnits = {
  'chain.spending.max_fee_per_gas_nanofil': { decimals: 9, unit: 'nanoFIL per gas' },
  'chain.spending.max_transaction_fee_millifil': { decimals: 15, unit: 'milliFIL' },
} as const

/** The fee is above the operator's limit. Nothing was signed. */
export class FeeAboveLimit extends Error {
  override readonly name = 'FeeAboveLimit'
  readonly code = 'fee_above_limit'

  /** Amounts in 10^-18 FIL. */
  constructor(setting: keyof typeof feeUnits, fee: bigint, limit: bigint) {
    const { decimals, unit } = feeUnits[setting]
    super(
      `The transaction was not signed: its fee would be up to ${formatUnits(fee, decimals)} ${unit}, above the ${formatUnits(limit, decimals)} of ${setting}. Try again when fees are lower, check the node, or raise the setting.`,
    )
  }
}

/** A contract reverted the call. `errorName` and `args` are set when a known ABI defines the selector. */
export class ChainReverted extends Error {
  override readonly name = 'ChainReverted'
  readonly code = 'chain_reverted'
  /** First four bytes of the revert data; `0x` when the node returned none. */
  readonly selector: Hex
  /** `Error` for a revert with a reason text, which is then `args[0]`. */
  readonly errorName: string | undefined
  readonly args: readonly unknown[]

  constructor(message: string, revert: Pick<ChainReverted, 'selector' | 'errorName' | 'args'>, options?: ErrorOptions) {
    super(message, options)
    this.selector = revert.selector
    this.errorName = revert.errorName
    this.args = revert.args
  }
}

/**
 * Converts an error of viem to `ChainUnreachable` or `ChainReverted`; returns the errors of this file unchanged.
 * @param what names the call in the message, such as `read getDataSet`
 * @param abi decodes reverts outside contract calls (gas estimation of encoded calldata)
 */
export function toChainError(error: unknown, what: string, abi: Abi = []): ChainUnreachable | ChainReverted | FeeAboveLimit {
  if (error instanceof ChainUnreachable || error instanceof ChainReverted || error instanceof FeeAboveLimit) return error
  const own = error instanceof BaseError ? error.walk((cause) => cause instanceof ChainUnreachable) : undefined
  if (own instanceof ChainUnreachable) return own
  if (!(error instanceof BaseError)) return new ChainUnreachable(`Could not ${what}: ${String(error)}`, { cause: error })
  const revert = findRevert(error, abi)
  if (revert !== undefined) {
    const reason = [revert.errorName ?? revert.selector, ...revert.args.map(String)].join(' ')
    return new ChainReverted(`The chain rejected the call to ${what}: ${reason}`, revert, { cause: withoutUrl(error) })
  }
  return new ChainUnreachable(`Could not ${what}: ${error.shortMessage}`, { cause: withoutUrl(error) })
}

function findRevert(error: BaseError, abi: Abi): Pick<ChainReverted, 'selector' | 'errorName' | 'args'> | undefined {
  if (error.walk((cause) => cause instanceof ContractFunctionZeroDataError)) return undefined
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (reverted instanceof ContractFunctionRevertedError) {
    const raw = reverted.raw ?? reverted.signature
    if (reverted.data) {
      return { selector: selectorOf(raw), errorName: reverted.data.errorName, args: reverted.data.args ?? [] }
    }
    const found = raw ?? quotedRevert(error.details)
    if (found !== undefined) return decodeRevert(found, abi)
    return {
      selector: '0x',
      errorName: reverted.reason === undefined ? undefined : 'Error',
      args: reverted.reason ? [reverted.reason] : [],
    }
  }
  const raw = revertDataIn(error)
  return raw === undefined ? undefined : decodeRevert(raw, abi)
}

function decodeRevert(raw: Hex, abi: Abi): Pick<ChainReverted, 'selector' | 'errorName' | 'args'> {
  try {
    const { errorName, args } = decodeErrorResult({ abi, data: raw })
    return { selector: selectorOf(raw), errorName, args: (args as readonly unknown[] | undefined) ?? [] }
  } catch {
    // An unknown selector is still a revert: return the selector only.
    return { selector: selectorOf(raw), errorName: undefined, args: [] }
  }
}

/** JSON-RPC code of "execution reverted"; its `data` member is the revert data. */
const executionRevertedCode = 3
/** Lotus returns the data inside its message: `… revert reason=[0x…] …`. */
const lotusRevert = /(?:revert reason|vm error)=\[(0x[0-9a-fA-F]*)\]/

export function revertDataIn(error: BaseError): Hex | undefined {
  const found = error.walk((cause) => (cause as { code?: unknown }).code === executionRevertedCode) as { data?: unknown } | null
  const data = found?.data
  if (isHex(data)) return data
  if (typeof data === 'object' && data !== null && 'data' in data && isHex(data.data)) return data.data
  return quotedRevert(error.details) ?? (found === null ? undefined : '0x')
}

function quotedRevert(details: string | undefined): Hex | undefined {
  const [, quoted] = lotusRevert.exec(details ?? '') ?? []
  return isHex(quoted) ? quoted : undefined
}

function selectorOf(raw: Hex | undefined): Hex {
  return raw !== undefined && size(raw) >= 4 ? (raw.slice(0, 10) as Hex) : '0x'
}

/** Viem's messages contain the RPC URL, which may contain a token: keep the cause without the URL (I-10). */
function withoutUrl(error: BaseError): Error {
  const http = error.walk((cause) => cause instanceof HttpRequestError)
  const plain = new Error(error.details || error.shortMessage)
  plain.name = http instanceof Error ? http.name : error.name
  return plain
}
